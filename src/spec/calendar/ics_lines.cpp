#include "spec/calendar/ics_lines.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "spec/calendar/ics.hpp"

namespace belfry::spec {

namespace {

std::string upper_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return result;
}

std::string part(std::string_view text) { return std::string(trimmed(text)); }

// A line that starts with a blank continues the previous line.
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

// name *(";" parameter "=" value) ":" value; a parameter's value may be in quotes, which hide separators.
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
    IcsProperty property{.name = upper_case(part(parts.front())),
                         .value = at < line.size() ? part(line.substr(at + 1)) : std::string()};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto equals = std::min(parts[i].find('='), parts[i].size());
        property.parameters.emplace_back(upper_case(part(parts[i].substr(0, equals))),
                                         part(equals < parts[i].size() ? parts[i].substr(equals + 1) : std::string()));
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
    if (text.size() > kIcsBytesMax)
        return invalid("the file has " + std::to_string(text.size()) + " bytes; send at most 1 MiB");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (storable(text) != text) return invalid("the file is not UTF-8 text");
    IcsFile file;
    std::vector<std::string> open;  // the components around the current line
    for (const auto& line : unfolded(text)) {
        auto property = parse_line(line);
        if (property.name == "BEGIN") {
            open.push_back(upper_case(property.value));
            if (open.front() != "VCALENDAR") break;
            if (open.size() > kIcsDepthMax) return invalid("the file nests components too deeply");
            if (open.size() == 2 && open.back() == "VEVENT") file.events.emplace_back();
            if (file.events.size() > kIcsEventsMax)
                return invalid("the file has more than " + std::to_string(kIcsEventsMax) + " events; split it");
        } else if (open.empty()) {
            break;
        } else if (property.name == "END") {
            if (open.back() != upper_case(property.value)) {
                return invalid("END:" + visible(whole_characters(property.value, 40)) + " appears where " +
                               in_quotes(open.back()) + " should end");
            }
            open.pop_back();
            if (open.empty()) return file;
        } else if (open.size() == 1) {
            file.calendar.properties.push_back(std::move(property));
        } else if (open.size() == 2 && open.back() == "VEVENT") {
            auto& properties = file.events.back().properties;
            if (properties.size() == kIcsPropertiesMax)
                return invalid("an event has more than " + std::to_string(kIcsPropertiesMax) + " lines");
            properties.push_back(std::move(property));
        }
    }
    if (open.empty() || open.front() != "VCALENDAR")
        return invalid("the file is not iCalendar: it must start with BEGIN:VCALENDAR");
    return invalid("the file ends inside " + in_quotes(open.back()) + ": it is truncated");
}

std::vector<std::string> split_values(std::string_view value) {
    std::vector<std::string> values;
    while (!value.empty()) {
        const auto end = std::min(value.find(','), value.size());
        values.push_back(part(value.substr(0, end)));
        value.remove_prefix(std::min(end + 1, value.size()));
    }
    return values;
}

}  // namespace belfry::spec
