#include "api/http/response_head.hpp"

#include <array>
#include <chrono>

#include "api/contract/problem.hpp"

namespace belfry::api {

namespace {

constexpr std::size_t kUsualSize = 512;
constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

bool is_token(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return is_alpha(c) || is_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

// Headers that depend on how the response is sent. Only the server sets them.
bool is_ours(std::string_view name) {
    constexpr std::array<std::string_view, 6> kOurs{"Connection", "Content-Length", "Date",
                                                    "Keep-Alive", "Server",         "Transfer-Encoding"};
    return std::ranges::any_of(kOurs, [&](std::string_view one) { return same_ignoring_case(one, name); });
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; }

void add(std::string& text, std::string_view name, std::string_view value) {
    text += name;
    text += ": ";
    const auto begin = text.size();
    text += value;
    std::replace_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_control, ' ');
    text += "\r\n";
}

void put_two(std::string& text, long number) {
    text += static_cast<char>('0' + number / 10);
    text += static_cast<char>('0' + number % 10);
}

// `Sun, 15 Nov 2026 09:00:00 GMT`, independent of the locale.
std::string date_text(Instant now) {
    constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
    constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(std::chrono::floor<Seconds>(now) - day);
    std::string text(kDays.substr(std::chrono::weekday(day).c_encoding() * std::size_t{3}, 3));
    text += ", ";
    put_two(text, static_cast<long>(static_cast<unsigned>(date.day())));
    text += ' ';
    text += kMonths.substr((static_cast<unsigned>(date.month()) - 1) * std::size_t{3}, 3);
    text += ' ';
    text += std::to_string(static_cast<int>(date.year()));
    for (const auto& [separator, number] :
         {std::pair{' ', clock.hours().count()}, {':', clock.minutes().count()}, {':', clock.seconds().count()}}) {
        text += separator;
        put_two(text, number);
    }
    text += " GMT";
    return text;
}

}  // namespace

bool has_body(int status) { return status != kNoContent && status != kNotModified; }

std::string response_head(const Response& response, Framing framing, Instant now) {
    std::string text;
    text.reserve(kUsualSize);
    text += "HTTP/1.1 ";
    text += std::to_string(response.status);
    text += ' ';
    text += reason_phrase(response.status);
    text += "\r\n";
    add(text, "Server", "belfry");
    add(text, "Date", date_text(now));
    for (const auto& [name, value] : response.headers) {
        if (is_token(name) && !is_ours(name)) add(text, name, value);
    }
    if (framing == Framing::chunked) add(text, "Transfer-Encoding", "chunked");
    if (framing == Framing::length && has_body(response.status))
        add(text, "Content-Length", std::to_string(response.body.size()));
    return text;
}

std::string_view last_lines(bool keeps_alive, bool say_keep_alive) {
    if (!keeps_alive) return "Connection: close\r\n\r\n";
    return say_keep_alive ? "Connection: keep-alive\r\n\r\n" : "\r\n";
}

}  // namespace belfry::api
