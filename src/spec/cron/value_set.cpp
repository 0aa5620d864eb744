#include "spec/cron/value_set.hpp"

#include <algorithm>

namespace belfry::spec {

Values values_of(const CronItem& item, CronUnit unit) {
    if (item.kind != CronItem::Kind::all && item.kind != CronItem::Kind::range) return {};
    const int lowest = range_of(unit).first;
    const int span = count_of(unit);
    const int highest = lowest + span - 1;
    const bool all = item.kind == CronItem::Kind::all;
    const int from = all ? lowest : item.first;
    int to = all ? highest : item.last;
    if (to < from) to += span;
    Values values;
    for (int value = from; value <= to; value += item.step) values.push_back(value > highest ? value - span : value);
    return values;
}

Values values_of(const CronExpression& expression, CronUnit unit) {
    Values values;
    for (const auto& item : expression.field(unit).items) {
        const auto more = values_of(item, unit);
        values.insert(values.end(), more.begin(), more.end());
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

int count_of(CronUnit unit) {
    // Seven is an alias of Sunday.
    return unit == CronUnit::day_of_week ? 7 : range_of(unit).last - range_of(unit).first + 1;
}

bool is_every(const Values& values, CronUnit unit) { return static_cast<int>(values.size()) == count_of(unit); }

std::vector<Stretch> stretches_of(const Values& values, int step) {
    std::vector<Stretch> result;
    for (const int value : values) {
        if (!result.empty() && value - result.back().last == step) {
            result.back().last = value;
            ++result.back().count;
        } else {
            result.push_back({value, value, 1});
        }
    }
    return result;
}

Rhythm rhythm_of(const Values& values) {
    int step = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const int gap = values[i] - values[i - 1];
        if (step == 0 || gap < step) step = gap;
    }
    return {step, stretches_of(values, step)};
}

Rhythm joined_around(Rhythm rhythm, int cycle) {
    auto& stretches = rhythm.stretches;
    if (stretches.size() < 2 || stretches.front().first + cycle - stretches.back().last != rhythm.step) return rhythm;
    stretches.back().last = stretches.front().last;
    stretches.back().count += stretches.front().count;
    stretches.erase(stretches.begin());
    return rhythm;
}

int even_step(const Values& values, int cycle) {
    const int count = static_cast<int>(values.size());
    if (count == 0 || cycle % count != 0) return 0;
    const int step = cycle / count;
    for (int i = 0; i < count; ++i) {
        if (values[static_cast<std::size_t>(i)] != values.front() + i * step) return 0;
    }
    return step;
}

std::vector<std::string> texts_of(const std::vector<Stretch>& stretches,
                                  const std::function<std::string(int)>& text_of) {
    std::vector<std::string> texts;
    for (const auto& stretch : stretches) {
        if (stretch.count > 2) {
            texts.push_back(text_of(stretch.first) + " to " + text_of(stretch.last));
            continue;
        }
        texts.push_back(text_of(stretch.first));
        if (stretch.count == 2) texts.push_back(text_of(stretch.last));
    }
    return texts;
}

}  // namespace belfry::spec
