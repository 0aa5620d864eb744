#include "spec/zone/zone_search.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/text/ascii.hpp"
#include "spec/zone/offset_text.hpp"

namespace belfry::spec {

namespace {

// UTC first, then from west to east: the zones of most people and offices.
constexpr std::array<std::string_view, 35> kCommon{"UTC",
                                                   "Pacific/Honolulu",
                                                   "America/Anchorage",
                                                   "America/Los_Angeles",
                                                   "America/Phoenix",
                                                   "America/Denver",
                                                   "America/Chicago",
                                                   "America/Mexico_City",
                                                   "America/New_York",
                                                   "America/Toronto",
                                                   "America/Bogota",
                                                   "America/Halifax",
                                                   "America/Sao_Paulo",
                                                   "America/Argentina/Buenos_Aires",
                                                   "Europe/London",
                                                   "Africa/Lagos",
                                                   "Europe/Berlin",
                                                   "Europe/Paris",
                                                   "Europe/Madrid",
                                                   "Africa/Cairo",
                                                   "Africa/Johannesburg",
                                                   "Europe/Istanbul",
                                                   "Europe/Moscow",
                                                   "Africa/Nairobi",
                                                   "Asia/Dubai",
                                                   "Asia/Karachi",
                                                   "Asia/Kolkata",
                                                   "Asia/Dhaka",
                                                   "Asia/Bangkok",
                                                   "Asia/Singapore",
                                                   "Asia/Shanghai",
                                                   "Asia/Tokyo",
                                                   "Asia/Seoul",
                                                   "Australia/Sydney",
                                                   "Pacific/Auckland"};

std::vector<std::string> words_of(std::string_view query) {
    auto text = lower_case(query);
    std::ranges::replace(text, '_', ' ');
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

bool has_words(const std::string& name, const std::vector<std::string>& words) {
    const auto text = lower_case(name);
    return std::ranges::all_of(words, [&](const auto& word) { return text.find(word) != std::string::npos; });
}

bool has_offset(const ZoneDatabase& zones, const std::string& name, Seconds offset, Instant now) {
    const auto zone = zones.find(name);
    return zone && (*zone)->offset_at(now) == offset;
}

}  // namespace

bool is_common_zone(std::string_view name) { return std::ranges::find(kCommon, name) != kCommon.end(); }

std::vector<std::string> search_zones(const ZoneDatabase& zones, std::string_view query, Instant now) {
    const auto words = words_of(query);
    const auto offset = parse_offset(query);
    const auto is_meant = [&](const std::string& name) {
        return has_words(name, words) || (offset && has_offset(zones, name, *offset, now));
    };
    std::vector<std::string> found;
    for (const auto common : kCommon) {
        const std::string name(common);
        if (std::ranges::binary_search(zones.names(), name) && is_meant(name)) found.push_back(name);
    }
    for (const auto& name : zones.names()) {
        if (!is_common_zone(name) && is_meant(name)) found.push_back(name);
    }
    return found;
}

bool is_dst(const Zone& zone, Instant instant) {
    const auto index = zone.index_at(epoch_s(instant));
    if (zone.is_last(index) || zone.is_last(index + 1)) return false;
    const auto now = zone.segment(index);
    return now.offset_after_s < now.offset_s && zone.segment(index + 2).offset_s == now.offset_s;
}

}  // namespace belfry::spec
