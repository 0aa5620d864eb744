// A time zone as the C library sees it: the second opinion against which the tests hold the program's own zones.
//
// It changes TZ of the whole process, so only single-threaded tests may use it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace belfry::test {

inline constexpr std::int64_t kHour = 3600;
inline constexpr std::int64_t kDay = 86400;

// The first second of a year in UTC.
[[nodiscard]] std::int64_t start_of_year(int year);

// A stretch of UTC in which the offset does not change.
struct Piece {
    std::int64_t begin_s;
    std::int64_t end_s;  // the first second that is no longer in it
    std::int64_t offset_s;
};

class GlibcZone {
public:
    explicit GlibcZone(std::string name) : setting_(":" + std::move(name)) {}

    // Local minus UTC.
    [[nodiscard]] std::int64_t offset_at(std::int64_t utc_s) const;

    // [from, to) cut where the offset changes. It is probed every `step` seconds, so two changes closer than that which
    // cancel each other are not seen.
    [[nodiscard]] std::vector<Piece> pieces(std::int64_t from_s, std::int64_t to_s,
                                            std::int64_t step_s = 3 * kHour) const;

    // Where the offset changes in those years, the last not included: the first second of the new offset. Quick rather
    // than complete: a change that is taken back within days may be missing.
    [[nodiscard]] std::vector<std::int64_t> transitions(int first_year, int end_year) const;

private:
    std::string setting_;
};

}  // namespace belfry::test
