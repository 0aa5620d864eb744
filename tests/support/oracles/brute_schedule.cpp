#include "support/oracles/brute_schedule.hpp"

#include <algorithm>

namespace belfry::test {
namespace {

using spec::GapRule;
using spec::RepeatRule;

// No gap or fold is longer than the day that Samoa left out, and a local date is at most one day away from that of UTC.
constexpr std::int64_t kMargin = 3 * kDay;

std::int64_t floor_to(std::int64_t value, std::int64_t unit) { return value - ((value % unit) + unit) % unit; }
std::int64_t ceil_to(std::int64_t value, std::int64_t unit) { return -floor_to(-value, unit); }

std::chrono::year_month_day date_of(LocalSecond local) {
    return std::chrono::sys_days{std::chrono::days{floor_to(local, kDay) / kDay}};
}

class Enumeration {
public:
    Enumeration(const BruteCron& cron, const GlibcZone& zone, spec::DstRules rules, BruteWindow window)
        : cron_(cron),
          rules_(rules),
          window_(window),
          pieces_(zone.pieces(window.from_s - kMargin, window.to_s + kMargin)) {}

    [[nodiscard]] std::vector<BruteOccurrence> run() {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const auto& piece = pieces_[i];
            if (i > 0 && inside(piece.begin_s)) {
                look_into_gap({piece.begin_s + pieces_[i - 1].offset_s, piece.begin_s + piece.offset_s}, piece.begin_s);
            }
            step_through(piece);
        }
        return std::move(found_);
    }

private:
    struct Gap {
        LocalSecond begin;
        LocalSecond end;  // nothing in between when the clock went back
    };

    [[nodiscard]] bool inside(std::int64_t utc_s) const { return utc_s >= window_.from_s && utc_s < window_.to_s; }
    [[nodiscard]] std::int64_t stride() const { return cron_.whole_minutes() ? 60 : 1; }

    // Every second of the piece, or every minute of its local time when no other second can match.
    void step_through(const Piece& piece) {
        const auto begin = std::max(piece.begin_s, window_.from_s) + piece.offset_s;
        const auto end = std::min(piece.end_s, window_.to_s) + piece.offset_s;
        for (auto local = ceil_to(begin, stride()); local < end;) {
            const auto midnight = floor_to(local, kDay);
            if (!cron_.matches_date(date_of(local))) {
                local = midnight + kDay;
                continue;
            }
            for (; local < std::min(end, midnight + kDay); local += stride()) {
                if (cron_.matches_time(local - midnight)) consider(local, local - piece.offset_s);
            }
        }
    }

    // This local second matches; does it count in this pass?
    void consider(LocalSecond local, std::int64_t utc_s) {
        std::vector<std::int64_t> passes;
        for (const auto& piece : pieces_) {
            const auto moment = local - piece.offset_s;
            if (moment >= piece.begin_s && moment < piece.end_s) passes.push_back(moment);
        }
        auto repeat = rules_.repeat;
        if (repeat == RepeatRule::automatic) repeat = cron_.wildcard() ? RepeatRule::both : RepeatRule::first;
        if (repeat == RepeatRule::first && utc_s != passes.front()) return;
        if (repeat == RepeatRule::last && utc_s != passes.back()) return;
        const auto pass = static_cast<std::size_t>(std::ranges::find(passes, utc_s) - passes.begin());
        if (!found_.empty() && found_.back().utc_s == utc_s) {
            found_.back().on_time = true;  // it also stands for a time in the gap just before it
            found_.back().passes = passes.size();
            found_.back().pass = pass;
        } else {
            found_.push_back({utc_s, true, passes.size(), pass, {}});
        }
    }

    // The clock jumped over these local times; is one of them made up for at `utc_s`, the first instant after them?
    void look_into_gap(Gap gap, std::int64_t utc_s) {
        if (rules_.gap == GapRule::skip) return;
        for (auto local = ceil_to(gap.begin, stride()); local < gap.end; local += stride()) {
            if (!cron_.matches(local)) continue;
            const auto midnight = floor_to(local, kDay);
            const bool date_is_missing = gap.begin <= midnight && midnight + kDay <= gap.end;
            if (date_is_missing || (cron_.wildcard() && fires_on_that_date_outside(gap, midnight))) continue;
            found_.push_back({utc_s, false, 1, 0, local});
            return;
        }
    }

    [[nodiscard]] bool fires_on_that_date_outside(Gap gap, LocalSecond midnight) const {
        for (std::int64_t second = 0; second < kDay; second += stride()) {
            const auto local = midnight + second;
            if ((local < gap.begin || local >= gap.end) && cron_.matches_time(second)) return true;
        }
        return false;
    }

    const BruteCron& cron_;
    spec::DstRules rules_;
    BruteWindow window_;
    std::vector<Piece> pieces_;
    std::vector<BruteOccurrence> found_;
};

}  // namespace

std::vector<BruteOccurrence> brute_occurrences(const BruteCron& cron, const GlibcZone& zone, spec::DstRules rules,
                                               BruteWindow window) {
    return Enumeration(cron, zone, rules, window).run();
}

}  // namespace belfry::test
