#include "spec/ics_lines.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "spec/ics.hpp"

namespace belfry::spec {

namespace {

std::string upper_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return result;
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return std::string(text);
}

// A line that begins with a blank goes on with the line before.
std::vector<std::string> unfolded(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty() && is_blank(line.front()) && !lines.empty()) {
            lines.back() += line.substr(1);
        } else if (!line.empty()) {
            lines.emplace_back(line);
        }
    }
    return lines;
}

// name *(";" parameter "=" value) ":" value; a parameter's value may stand in quotes, which hide the other signs.
IcsProperty parse_line(std::string_view line) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    std::size_t at = 0;
    for (; at < line.size() && (quoted || line[at] != ':'); ++at) {
        if (line[at] == '"') {
            quoted = !quoted;
        } else if (line[at] == ';' && !quoted) {
            parts.emplace_back();
        } else {
            parts.back() += line[at];
        }
    }
    IcsProperty property{.name = upper_case(trimmed(parts.front())), .value = at < line.size() ? trimmed(line.substr(at + 1)) : std::string()};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto equals = std::min(parts[i].find('='), parts[i].size());
        property.parameters.emplace_back(upper_case(trimmed(parts[i].substr(0, equals))),
                                         trimmed(equals < parts[i].size() ? parts[i].substr(equals + 1) : std::string()));
    }
    return property;
}

}  // namespace

std::string IcsProperty::parameter(std::string_view wanted) const {
    const auto found = std::ranges::find_if(parameters, [&](const auto& pair) { return pair.first == wanted; });
    return found == parameters.end() ? std::string() : found->second;
}

const IcsProperty* IcsComponent::find(std::string_view name) const {
    const auto found = std::ranges::find(properties, name, &IcsProperty::name);
    return found == properties.end() ? nullptr : &*found;
}

Result<IcsFile> read_ics_lines(std::string_view text) {
    if (text.size() > kIcsBytesMax) return invalid("the file has " + std::to_string(text.size()) + " bytes; send at most 1 MiB");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (storable(text) != text) return invalid("the file is no UTF-8 text");
    IcsFile file;
    std::vector<std::string> open;  // the components around a line
    for (const auto& line : unfolded(text)) {
        auto property = parse_line(line);
        if (property.name == "BEGIN") {
            open.push_back(upper_case(property.value));
            if (open.front() != "VCALENDAR") break;
            if (open.size() > kIcsDepthMax) return invalid("the file has components inside each other that no calendar has");
            if (open.size() == 2 && open.back() == "VEVENT") file.events.emplace_back();
            if (file.events.size() > kIcsEventsMax) return invalid("the file has more than " + std::to_string(kIcsEventsMax) + " events; split it");
        } else if (open.empty()) {
            break;
        } else if (property.name == "END") {
            if (open.back() != upper_case(property.value)) {
                return invalid("END:" + visible(whole_characters(property.value, 40)) + " stands where " + in_quotes(open.back()) + " should end");
            }
            open.pop_back();
            if (open.empty()) return file;
        } else if (open.size() == 1) {
            file.calendar.properties.push_back(std::move(property));
        } else if (open.size() == 2 && open.back() == "VEVENT") {
            auto& properties = file.events.back().properties;
            if (properties.size() == kIcsPropertiesMax) return invalid("an event has more than " + std::to_string(kIcsPropertiesMax) + " lines");
            properties.push_back(std::move(property));
        }
    }
    if (open.empty() || open.front() != "VCALENDAR") return invalid("the file is no iCalendar: it must begin with BEGIN:VCALENDAR");
    return invalid("the file ends inside of " + in_quotes(open.back()) + ": it was cut short");
}

std::vector<std::string> split_values(std::string_view value) {
    std::vector<std::string> values;
    while (!value.empty()) {
        const auto end = std::min(value.find(','), value.size());
        values.push_back(trimmed(value.substr(0, end)));
        value.remove_prefix(std::min(end + 1, value.size()));
    }
    return values;
}

}  // namespace belfry::spec
