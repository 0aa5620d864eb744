#include "brokers/option_reader.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/time/duration.hpp"
#include "brokers/control_characters.hpp"

namespace belfry::brokers {

namespace {

constexpr std::size_t kNameMax = 200;

}  // namespace

const Json* OptionReader::find(const char* member) {
    known_.emplace_back(member);
    return options_.if_contains(member);
}

void OptionReader::refuse(const char* member, std::string message) {
    errors_.push_back(in_field(invalid(std::string(member) + " " + std::move(message)), "/" + std::string(member)));
}

void OptionReader::name(const char* member, std::string& into) {
    const auto* value = find(member);
    if (value == nullptr) return;
    const auto* text = value->if_string();
    if (text == nullptr || text->empty() || text->size() > kNameMax || has_control_characters(*text))
        return refuse(member, "must be text of 1 to " + std::to_string(kNameMax) + " characters");
    into = std::string(std::string_view(*text));
}

void OptionReader::word(const char* member, std::string& into, std::string_view also) {
    const auto before = into;
    name(member, into);
    const auto fits = [&](char c) {
        return is_alpha(c) || is_digit(c) || c == '-' || c == '_' || also.find(c) != std::string_view::npos;
    };
    const bool has_empty_part = into.starts_with('.') || into.ends_with('.') || into.find("..") != std::string::npos;
    if (std::ranges::all_of(into, fits) && !has_empty_part) return;
    into = before;
    refuse(member, also.empty() ? "must consist of letters, digits, - and _"
                                : "must consist of letters, digits, - and _, in parts separated by single dots");
}

void OptionReader::flag(const char* member, bool& into) {
    const auto* value = find(member);
    if (value == nullptr) return;
    if (!value->is_bool()) return refuse(member, "must be true or false");
    into = value->get_bool();
}

bool OptionReader::integer(const char* member, std::int64_t& into, std::int64_t least) {
    const auto* value = find(member);
    if (value == nullptr) return false;
    if (!value->is_int64() || value->get_int64() < least) {
        refuse(member, "must be a whole number from " + std::to_string(least));
        return false;
    }
    into = value->get_int64();
    return true;
}

void OptionReader::duration(const char* member, std::chrono::milliseconds& into, std::chrono::milliseconds least,
                            std::chrono::milliseconds most) {
    const auto* value = find(member);
    if (value == nullptr) return;
    const auto* text = value->if_string();
    const auto parsed = text == nullptr ? Result<Micros>(invalid("")) : parse_duration(std::string_view(*text));
    if (!parsed || *parsed < least || *parsed > most)
        return refuse(member, "must be a duration from " + format_duration(least) + " to " + format_duration(most) +
                                  ", for example PT5S");
    into = std::chrono::floor<std::chrono::milliseconds>(*parsed);
}

Result<void> OptionReader::finish() {
    for (const auto& [member, value] : options_) {
        if (std::ranges::find(known_, std::string_view(member)) != known_.end()) continue;
        std::string choices;
        for (const auto& each : known_) choices += (choices.empty() ? "" : ", ") + each;
        errors_.push_back(
            in_field(invalid("unknown option " + in_quotes(std::string_view(member)) + ": use " + choices),
                     pointer_step(std::string_view(member))));
    }
    if (auto wrong = together_if_any(std::move(errors_))) return *wrong;
    return {};
}

}  // namespace belfry::brokers
