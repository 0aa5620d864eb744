#include "app/client/listing.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <charconv>
#include <map>
#include <thread>

#include "api/http/percent.hpp"
#include "app/client/printing.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

const Flag kLimitFlag{"--limit", "N", "Maximum number of rows [100]"};
const Flag kAllFlag{"--all", "", "List all rows", Kind::yes};
const Flag kWatchFlag{"-w,--watch", "", "Keep running, and print rows that change", Kind::yes};

namespace {

constexpr std::size_t kRowsUsual = 100;
constexpr std::size_t kPageMax = 500;
constexpr std::chrono::milliseconds kWatchInterval{1'000};

Result<std::size_t> wanted_rows(const Session& session) {
    const auto& values = session.values();
    if (values.has("--all")) return std::size_t{0};
    if (!values.has("--limit")) return kRowsUsual;
    const auto text = values.one("--limit");
    std::size_t rows = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), rows);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || rows == 0)
        return invalid("--limit " + in_quotes(text) + ": use a whole number from 1 on, or --all");
    return rows;
}

// Prints the rows that are new or differ from the last time, until the user ends the program.
Result<ExitCode> watch(Session& session, const std::string& path, std::size_t rows) {
    std::map<std::string, std::string> seen;
    for (bool first = true;; first = false) {
        auto listed = read_list(session, path, rows);
        if (!listed) return listed.error();
        boost::json::array changed;
        for (auto& item : listed->items) {
            auto& before = seen[text_at(item, session.noun().key)];
            if (auto text = to_text(item); text != before) {
                before = std::move(text);
                changed.push_back(std::move(item));
            }
        }
        if (!changed.empty()) print_items(session, changed, first ? Heading::shown : Heading::hidden);
        session.out().flush();
        if (!session.out()) return ExitCode::failed;
        std::this_thread::sleep_for(kWatchInterval);
    }
}

}  // namespace

Result<Listed> read_list(const Session& session, const std::string& path, std::size_t most) {
    Listed listed;
    const auto joint = path.find('?') == std::string::npos ? "?" : "&";
    std::string cursor;
    do {
        const auto left = most == 0 ? kPageMax : most - listed.items.size();
        const auto page = session.get(path + joint + "limit=" + std::to_string(std::min(left, kPageMax)) +
                                      (cursor.empty() ? "" : "&cursor=" + api::percent_encode(cursor)));
        if (!page) return page.error();
        for (const auto& item : list_at(*page, "/items")) listed.items.push_back(item);
        cursor = text_at(*page, "/nextCursor");
    } while (!cursor.empty() && (most == 0 || listed.items.size() < most));
    listed.more = !cursor.empty();
    return listed;
}

Result<ExitCode> list(Session& session, const std::string& path) {
    const auto rows = wanted_rows(session);
    if (!rows) return rows.error();
    if (session.values().has("--watch")) return watch(session, path, *rows);
    const auto listed = read_list(session, path, *rows);
    if (!listed) return listed.error();
    print_items(session, listed->items, Heading::shown);
    if (listed->items.empty() && session.for_people())
        session.console().note(std::string("no ") + session.noun().name + " found");
    if (listed->more) session.console().note("there are more: use --all, or a larger --limit");
    return ExitCode::ok;
}

Result<ExitCode> show(Session& session, const std::string& path) {
    const auto answer = session.get(path);
    if (!answer) return answer.error();
    print_item(session, *answer);
    return ExitCode::ok;
}

}  // namespace belfry::app
