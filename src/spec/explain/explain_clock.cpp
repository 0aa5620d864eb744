#include "spec/explain/explain_clock.hpp"

#include <optional>

#include "spec/cron/value_set.hpp"
#include "spec/explain/english.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr int kMinute_s = 60;
constexpr int kHour_s = 3600;
constexpr int kDay_s = 86400;

constexpr std::size_t kRangesMax = 4;  // fewer than kListMax, because "from … to …" is longer than a single time
constexpr int kRangeLeast = 4;         // up to three times are clearer as a list
constexpr int kEvenLeast = 3;          // twice an hour is clearer as two times than as "every 30 minutes"

using TextOf = std::function<std::string(int)>;

std::vector<std::string> map(const Values& values, const TextOf& text_of) {
    std::vector<std::string> texts;
    for (const int value : values) texts.push_back(text_of(value));
    return texts;
}

// "Every 15 minutes from 9:00 AM to 5:45 PM", if a few such ranges cover all times.
std::optional<std::string> rate_in_ranges(const Rhythm& rhythm, const TextOf& text_of) {
    if (rhythm.stretches.size() > kRangesMax) return std::nullopt;
    std::vector<std::string> ranges;
    for (const auto& stretch : rhythm.stretches) {
        if (stretch.count < kRangeLeast) return std::nullopt;
        ranges.push_back("from " + text_of(stretch.first) + " to " + text_of(stretch.last));
    }
    return every(Seconds{rhythm.step}) + " " + join(ranges);
}

std::string every_nth(int step, const std::string& noun) {
    return "every " + (step == 1 ? "" : ordinal(step) + " ") + noun;
}

// Tries forms from the times of day inwards; the simplest true one wins.
class ClockWriter {
public:
    ClockWriter(const CronExpression& expression, ClockStyle style, Midnight midnight)
        : seconds_(values_of(expression, CronUnit::second)),
          minutes_(values_of(expression, CronUnit::minute)),
          hours_(values_of(expression, CronUnit::hour)),
          style_(style),
          midnight_(midnight),
          with_seconds_(seconds_ != Values{0}) {
        for (const int minute : minutes_) {
            for (const int second : seconds_) offsets_.push_back(minute * kMinute_s + second);
        }
    }

    [[nodiscard]] ClockWords write() const {
        using Kind = ClockWords::Kind;
        if (is_every(hours_, CronUnit::hour)) return {Kind::whole_day, around_the_clock()};
        const auto times = times_of_day();
        const auto time = [this](int value) { return time_text(value); };
        // At clock changes, wall-clock hours differ from real hours, so only the list of times is always true.
        if (times.size() <= kListMax && rhythm_of(times).step > kHour_s) return {Kind::times, join(map(times, time))};
        // "starting at 1:00 AM on the 5th" would suggest that it continues after the 5th.
        const bool no_start = times.front() == 0 || midnight_ == Midnight::may_be_crossed;
        if (const int step = even_step(times, kDay_s); step != 0 && no_start && times.size() > 1) {
            return {Kind::whole_day,
                    every(Seconds{step}) + (times.front() == 0 ? "" : " starting at " + time(times.front()))};
        }
        if (auto ranges = rate_in_ranges(around_midnight(rhythm_of(times), kDay_s), time))
            return {Kind::part_of_day, *ranges};
        if (times.size() <= kListMax) return {Kind::times, join(map(times, time))};
        return {Kind::part_of_day, within_the_hour() + " of " + hours_named()};
    }

private:
    [[nodiscard]] Values times_of_day() const {
        Values times;
        for (const int hour : hours_) {
            for (const int offset : offsets_) times.push_back(hour * kHour_s + offset);
        }
        return times;
    }

    [[nodiscard]] Rhythm around_midnight(Rhythm rhythm, int cycle) const {
        return midnight_ == Midnight::may_be_crossed ? joined_around(std::move(rhythm), cycle) : rhythm;
    }

    [[nodiscard]] std::string time_text(int second_of_day) const {
        return time_in_words(Seconds{second_of_day}, style_, with_seconds_);
    }

    // ":05", ":05:30": the 24-hour text of hour 0 without the hour.
    [[nodiscard]] std::string offset_text(int second_of_hour) const {
        return time_in_words(Seconds{second_of_hour}, ClockStyle::hours_24, with_seconds_).substr(2);
    }

    [[nodiscard]] std::string hour_text(int hour) const {
        const auto text = time_in_words(Seconds{hour * kHour_s}, style_, false);
        return style_ == ClockStyle::hours_24 ? text : text.substr(0, text.find(':')) + text.substr(text.find(' '));
    }

    [[nodiscard]] std::vector<std::string> offset_texts() const {
        return map(offsets_, [this](int value) { return offset_text(value); });
    }

    [[nodiscard]] std::string around_the_clock() const {
        if (const int step = even_step(offsets_, kHour_s); step != 0 && offsets_.front() == 0)
            return every(Seconds{step});
        if (is_every(minutes_, CronUnit::minute) && seconds_.size() <= kListMax)
            return "Every minute at " + second_list() + " past";
        if (offsets_.size() <= kListMax) return "Every hour at " + join(offset_texts());
        return within_the_hour() + " of every hour";
    }

    // "At :00 and :45", "Every 7 minutes from :00 to :56": the times within each hour.
    [[nodiscard]] std::string within_the_hour() const {
        if (const int step = even_step(offsets_, kHour_s);
            step != 0 && offsets_.front() == 0 && offsets_.size() >= kEvenLeast) {
            return every(Seconds{step});
        }
        if (offsets_.size() <= kListMax) return "At " + join(offset_texts());
        const auto text_of = [this](int value) { return offset_text(value); };
        if (auto ranges = rate_in_ranges(rhythm_of(offsets_), text_of)) return *ranges;
        if (seconds_.size() > 1) return seconds_named() + minutes_named();
        const auto texts = texts_of(stretches_of(offsets_, kMinute_s), text_of);
        if (texts.size() <= kListMax) return "At " + join(texts);
        const auto ends = text_of(offsets_.front()) + " and " + text_of(offsets_.back());
        return "At " + std::to_string(offsets_.size()) + " different minutes between " + ends;
    }

    // "1, 2 and 30 seconds"
    [[nodiscard]] std::string second_list() const {
        if (seconds_.size() == 1) return counted(seconds_.front(), "second");
        return join(map(seconds_, [](int second) { return std::to_string(second); })) + " seconds";
    }

    [[nodiscard]] std::string seconds_named() const {
        if (const int step = even_step(seconds_, kMinute_s); step != 0 && seconds_.front() == 0)
            return every(Seconds{step}) + " of ";
        if (seconds_.size() <= kListMax) return "At " + second_list() + " past ";
        const auto rhythm = rhythm_of(seconds_);
        if (rhythm.stretches.size() == 1) {
            const auto ends = std::to_string(seconds_.front()) + " to " + counted(seconds_.back(), "second");
            return every(Seconds{rhythm.step}) + " from " + ends + " past ";
        }
        const auto texts = texts_of(stretches_of(seconds_, 1), [](int second) { return std::to_string(second); });
        if (texts.size() <= kListMax) return "At seconds " + join(texts) + " of ";
        return "At " + counted(static_cast<int>(seconds_.size()), "second") + " between " +
               std::to_string(seconds_.front()) + " and " + std::to_string(seconds_.back()) + " of ";
    }

    [[nodiscard]] std::string minutes_named() const {
        if (is_every(minutes_, CronUnit::minute)) return "every minute";
        const auto text_of = [](int minute) {
            return time_in_words(Seconds{minute * kMinute_s}, ClockStyle::hours_24, false).substr(2);
        };
        const auto ends = [&](const std::string& between) {
            return text_of(minutes_.front()) + between + text_of(minutes_.back());
        };
        const auto rhythm = rhythm_of(minutes_);
        if (rhythm.stretches.size() == 1 && minutes_.size() > 2)
            return every_nth(rhythm.step, "minute") + " from " + ends(" to ");
        const auto texts = texts_of(stretches_of(minutes_, 1), text_of);
        if (texts.size() <= kListMax) return (texts.size() == 1 ? "minute " : "the minutes ") + join(texts);
        return counted(static_cast<int>(minutes_.size()), "minute") + " between " + ends(" and ");
    }

    // "every hour from 9:00 AM to 5:45 PM": the ends are the actual first and last time.
    [[nodiscard]] std::string hours_named() const {
        const auto ends = [this](int first, int last, const std::string& between) {
            return time_text(first * kHour_s + offsets_.front()) + between +
                   time_text(last * kHour_s + offsets_.back());
        };
        const auto rhythm = around_midnight(rhythm_of(hours_), 24);
        if (rhythm.stretches.size() == 1 && hours_.size() > 2) {
            return every_nth(rhythm.step, "hour") + " from " +
                   ends(rhythm.stretches.front().first, rhythm.stretches.front().last, " to ");
        }
        const auto texts = texts_of(stretches_of(hours_, 1), [this](int hour) { return hour_text(hour); });
        if (texts.size() <= kListMax) return (texts.size() == 1 ? "the hour " : "the hours ") + join(texts);
        return counted(static_cast<int>(hours_.size()), "hour") + " between " +
               ends(hours_.front(), hours_.back(), " and ");
    }

    Values seconds_;
    Values minutes_;
    Values hours_;
    ClockStyle style_;
    Midnight midnight_;
    bool with_seconds_;
    Values offsets_;  // seconds of the hour
};

}  // namespace

ClockWords clock_words(const CronExpression& expression, ClockStyle style, Midnight midnight) {
    return ClockWriter(expression, style, midnight).write();
}

// Intervals count from the Unix epoch in UTC. Those that divide an hour or a day have the same clock times every day.
std::string interval_words(const Interval& interval, ClockStyle style) {
    constexpr Seconds kHour = chrono::hours{1};
    constexpr Seconds kDay = chrono::hours{24};
    const auto period = every(interval.every());
    const LocalSeconds start{interval.offset()};
    const bool at_epoch = interval.offset() == Seconds{0};
    if (interval.every() == kHour && !at_epoch) return period + " at " + in_words(interval.offset()) + " past (UTC)";
    if (kHour % interval.every() == Seconds{0}) {
        return period + (at_epoch ? "" : " starting at " + in_words(interval.offset()) + " past the hour") + " (UTC)";
    }
    if (interval.every() == kDay) return period + " at " + time_in_words(start, style) + " (UTC)";
    if (kDay % interval.every() == Seconds{0})
        return period + (at_epoch ? "" : " starting at " + time_in_words(start, style)) + " (UTC)";
    return period + ", counted from " + (at_epoch ? "" : time_in_words(start, style) + " on ") + date_in_words(start) +
           " (UTC)";
}

}  // namespace belfry::spec
