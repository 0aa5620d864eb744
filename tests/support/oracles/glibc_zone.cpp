#include "support/oracles/glibc_zone.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

namespace belfry::test {
namespace {

// Reading a zone file costs far more than asking it, so the last one stays loaded.
void use_zone(const std::string& setting) {
    static std::string current;
    if (current == setting) return;
    setenv("TZ", setting.c_str(), 1);
    tzset();
    current = setting;
}

}  // namespace

std::int64_t start_of_year(int year) {
    return std::chrono::sys_days{std::chrono::year{year} / 1 / 1}.time_since_epoch().count() * kDay;
}

std::int64_t GlibcZone::offset_at(std::int64_t utc_s) const {
    use_zone(setting_);
    const std::time_t moment = utc_s;
    std::tm local{};
    localtime_r(&moment, &local);
    return local.tm_gmtoff;
}

std::vector<Piece> GlibcZone::pieces(std::int64_t from_s, std::int64_t to_s, std::int64_t step_s) const {
    std::vector<Piece> result{{from_s, to_s, offset_at(from_s)}};
    for (std::int64_t probe = from_s; probe < to_s - 1;) {
        auto before = probe;
        probe = std::min(probe + step_s, to_s - 1);
        const auto offset = offset_at(probe);
        if (offset == result.back().offset_s) continue;
        auto after = probe;
        while (after - before > 1) {
            const auto middle = before + (after - before) / 2;
            (offset_at(middle) == result.back().offset_s ? before : after) = middle;
        }
        // Go on from the change and not from the probe: there may be a second one in between.
        const auto changed = offset_at(after);
        result.back().end_s = after;
        result.push_back({after, to_s, changed});
        probe = after;
    }
    return result;
}

std::vector<std::int64_t> GlibcZone::transitions(int first_year, int end_year) const {
    std::vector<std::int64_t> result;
    const auto all = pieces(start_of_year(first_year), start_of_year(end_year), 6 * kDay);
    for (std::size_t i = 1; i < all.size(); ++i) result.push_back(all[i].begin_s);
    return result;
}

}  // namespace belfry::test
