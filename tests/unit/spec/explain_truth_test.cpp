// Over many expressions: what a sentence says is what the expression does. The sentences are read back, and what they
// promise is compared with the times at which the pattern really matches.
#include <algorithm>
#include <bitset>
#include <map>
#include <regex>
#include <set>

#include "spec/explain/explain.hpp"
#include "support/worlds/vectors.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec::explain_truth_test {
namespace {

namespace chrono = std::chrono;

CronExpression parsed(const std::string& text) {
    auto expression = parse_cron(text);
    EXPECT_TRUE(expression) << text;
    return *expression;
}

std::string said(const std::string& text) { return explain(parsed(text)); }

// All expressions of the vectors, and every pair of a clock and a date that are awkward to say.
std::set<std::string> many_expressions() {
    std::set<std::string> result;
    for (const auto& row : test::read_table("cron_next.tsv")) result.insert(row[0]);
    for (const auto& row : test::read_table("cron_peers.tsv")) result.insert(row[1]);
    for (const std::string clock : {"* *", "0 *", "*/7 *", "5/15 *", "50-10 *", "*/45 3", "0 */5", "59 22-2",
                                    "*/20 20-4", "* 23-1", "1,2 3-9/3", "*/7 */2", "3-40/9 6,7,9"}) {
        for (const std::string date :
             {"* * *",       "1 * *",    "31 * *",     "*/2 * *",       "13 * 5",      "13 * +5",      "L * *",
              "L-2 * 1",     "LW 2 *",   "15W 11-2 *", "* * 1#5",       "* 6 5L",      "* * 1,2,4",    "* * 6-2",
              "1,L * 2,3#1", "30 2,4 *", "29 2 *",     "2-30/7 3-11 *", "*/9 * 1-5",   "* 1-5,7-12 *", "29-31 * *",
              "28-31 2 *",   "1,30 2 *", "31 2 5",     "*/30 * *",      "15,31 1-3 *", "31 2,3 +5",    "1-7,L * +0"}) {
            result.insert(clock + " " + date);
        }
    }
    std::erase_if(result, [](const std::string& text) { return !parse_cron(text); });
    return result;
}

TEST(Explain, EveryExpressionGivesOneCleanSentence) {
    for (const auto& text : many_expressions()) {
        const auto sentence = said(text);
        ASSERT_FALSE(sentence.empty()) << text;
        EXPECT_TRUE(sentence.front() >= 'A' && sentence.front() <= 'Z') << text << ": " << sentence;
        EXPECT_EQ(sentence.find("  "), std::string::npos) << text << ": " << sentence;
        EXPECT_EQ(sentence.find_first_of("*%{}<>[]?;!"), std::string::npos) << text << ": " << sentence;
        EXPECT_EQ(std::string(" ,.:-").find(sentence.back()), std::string::npos) << text << ": " << sentence;
        EXPECT_LE(sentence.size(), 260U) << text << ": " << sentence;
        EXPECT_LE(std::count(sentence.begin(), sentence.end(), ','), 24) << text << ": " << sentence;
    }
}

// Counts leave something out, so different expressions may share such a sentence.
bool counts_only(const std::string& sentence) { return sentence.find(" between ") != std::string::npos; }

TEST(Explain, ExpressionsThatReadTheSameFireAtTheSameTimes) {
    std::map<std::string, std::string> times_of;
    std::map<std::string, std::string> first_text;
    for (const auto& text : many_expressions()) {
        const auto sentence = said(text);
        if (parsed(text).every || counts_only(sentence)) continue;
        const auto times = test::next_texts(test::cron(text), "2026-01-30T13:00:00Z", 300);
        const auto [known, is_new] = times_of.emplace(sentence, times);
        if (is_new) first_text[sentence] = text;
        EXPECT_EQ(times, known->second) << text << " and " << first_text[sentence] << " both say: " << sentence;
    }
}

constexpr int kDay_s = 86400;
using Times = std::bitset<kDay_s>;  // a bit for each second of a day

void add(Times& times, int second) { times.set(static_cast<std::size_t>(second)); }

int seconds_of(const std::string& hh_mm_ss) {
    const auto parts = test::split(hh_mm_ss, ':');
    return std::stoi(parts[0]) * 3600 + std::stoi(parts[1]) * 60 + (parts.size() > 2 ? std::stoi(parts[2]) : 0);
}

// "15 minutes", "hour"
int period_of(const std::string& words) {
    std::smatch match;
    if (!std::regex_match(words, match, std::regex("(?:([0-9]+) )?(second|minute|hour)s?"))) return 0;
    const int unit = match[2] == "second" ? 1 : match[2] == "minute" ? 60 : 3600;
    return unit * (match[1].matched ? std::stoi(match[1]) : 1);
}

// Reads what a sentence in the 24-hour clock promises, as a person would. An empty answer means that this reader does
// not know the form.
class SentenceReader {
public:
    explicit SentenceReader(const std::string& sentence) : sentence_(sentence) {}

    [[nodiscard]] Times times() const {
        static const std::regex kPartsOfHours(" (of|past) (every|the) .*(hour|minute)");
        static const std::regex kRanges("^Every ([a-z0-9 ]+?) from [0-9]{2}:.*");
        static const std::regex kEvery(
            "^Every ([0-9]+ [a-z]+s|second|minute|hour)(?: starting at ([0-9:]+))?(?: (?:on|in|from|[0-9]+ days?) "
            ".*)?");
        std::smatch match;
        if (std::regex_search(sentence_, kPartsOfHours)) return Times{};
        if (std::regex_match(sentence_, match, kRanges)) return in_ranges(period_of(match[1]));
        if (sentence_.starts_with("Every hour at :")) return in_each_hour();
        if (std::regex_match(sentence_, match, kEvery))
            return all_day(period_of(match[1]), match[2].matched ? seconds_of(match[2]) : 0);
        return listed();
    }

private:
    template <typename Visit>
    void for_each(const std::regex& pattern, const Visit& visit) const {
        for (std::sregex_iterator match(sentence_.begin(), sentence_.end(), pattern), end; match != end; ++match)
            visit(*match);
    }

    // "from 22:00 to 02:45"
    [[nodiscard]] Times in_ranges(int period) const {
        static const std::regex kRange("from ([0-9]{2}:[0-9:]+) to ([0-9]{2}:[0-9:]+)");
        Times times;
        if (period == 0) return times;
        for_each(kRange, [&](const std::smatch& range) {
            const int first = seconds_of(range[1]);
            const int last = seconds_of(range[2]) + (seconds_of(range[2]) < first ? kDay_s : 0);
            EXPECT_EQ((last - first) % period, 0) << "the last run is not on the rhythm: " << sentence_;
            for (int time = first; time <= last; time += period) add(times, time % kDay_s);
        });
        return times;
    }

    // "at :05 and :45"
    [[nodiscard]] Times in_each_hour() const {
        static const std::regex kOffset(" (:[0-9:]+)");
        Times times;
        for_each(kOffset, [&times](const std::smatch& offset) {
            for (int hour = 0; hour < 24; ++hour) add(times, hour * 3600 + seconds_of("00" + offset[1].str()));
        });
        return times;
    }

    [[nodiscard]] static Times all_day(int period, int first) {
        Times times;
        for (int time = first; period > 0 && time < kDay_s; time += period) add(times, time);
        return times;
    }

    [[nodiscard]] Times listed() const {
        static const std::regex kTime(" ([0-9]{2}:[0-9:]+)");
        Times times;
        for_each(kTime, [&times](const std::smatch& time) { add(times, seconds_of(time[1])); });
        return times;
    }

    const std::string& sentence_;
};

// The times at which the pattern matches on its first date after 2026.
Times matched_times(const CronExpression& expression) {
    const CronPattern pattern(expression);
    Times times;
    const auto first = pattern.at_or_after(chrono::local_days{chrono::year{2027} / 1 / 1});
    if (!first) return times;
    const auto day = chrono::floor<chrono::days>(*first);
    for (auto match = first; match && chrono::floor<chrono::days>(*match) == day;
         match = pattern.at_or_after(*match + Seconds{1})) {
        add(times, static_cast<int>((*match - day).count()));
    }
    return times;
}

TEST(Explain, TheTimesOfDayReadFromTheSentenceAreThoseThatMatch) {
    std::size_t read = 0;
    std::size_t all = 0;
    for (const auto& text : many_expressions()) {
        const auto expression = parsed(text);
        const auto actual = expression.every ? Times{} : matched_times(expression);
        if (actual.none()) continue;
        const auto sentence = explain(expression, {.clock = ClockStyle::hours_24});
        const auto promised = SentenceReader(sentence).times();
        ++all;
        if (promised.none()) continue;
        ++read;
        EXPECT_TRUE(promised == actual) << text << ": " << sentence << " promises " << promised.count()
                                        << " times, not " << actual.count();
    }
    EXPECT_GE(read * 100, all * 80) << read << " of " << all << " sentences could be read";
}

// Reads which dates a sentence promises. Forms that depend on the month (L, W, #), counts and years are left to the
// table of sentences.
class DateReader {
public:
    explicit DateReader(const std::string& sentence) : sentence_(sentence) {
        read_days();
        read_names(kWeekdays, "every day except ", weekdays_);
        read_names(kMonths, "every month except ", months_);
        if (says("weekday")) weekdays_ = {1, 2, 3, 4, 5};
    }

    [[nodiscard]] bool knows_the_form() const {
        static const std::regex kUnknown("last|nearest|between|[0-9]{4}|(st|nd|rd|th) [A-Z]");
        return !std::regex_search(sentence_, kUnknown);
    }

    [[nodiscard]] bool promises(chrono::local_days day) const {
        const chrono::year_month_day date(day);
        const bool by_day = days_.contains(static_cast<int>(static_cast<unsigned>(date.day())));
        const bool by_weekday = weekdays_.contains(static_cast<int>(chrono::weekday(day).c_encoding()));
        if (!months_.empty() && !months_.contains(static_cast<int>(static_cast<unsigned>(date.month())))) return false;
        if (days_.empty() && weekdays_.empty()) return true;
        return says(" when it is ") ? by_day && by_weekday : by_day || by_weekday;
    }

private:
    using Names = std::vector<std::string>;
    static inline const Names kWeekdays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
    // The dash keeps January at 1; no sentence has it as a name.
    static inline const Names kMonths{"-",    "January", "February",  "March",   "April",    "May",     "June",
                                      "July", "August",  "September", "October", "November", "December"};

    [[nodiscard]] bool says(const std::string& words) const { return sentence_.find(words) != std::string::npos; }

    // "the 1st, 5th and 20th to 25th", "every 2nd day from the 1st to the 31st"
    void read_days() {
        static const std::regex kStepped("every ([0-9]+)(?:st|nd|rd|th) day from the ([0-9]+).. to the ([0-9]+)..");
        static const std::regex kDay("([0-9]+)(?:st|nd|rd|th)(?: to ([0-9]+)(?:st|nd|rd|th))?(?! hour| minute)");
        std::smatch match;
        if (std::regex_search(sentence_, match, kStepped)) {
            for (int day = std::stoi(match[2]); day <= std::stoi(match[3]); day += std::stoi(match[1]))
                days_.insert(day);
            return;
        }
        for (std::sregex_iterator found(sentence_.begin(), sentence_.end(), kDay), end; found != end; ++found) {
            const int last = std::stoi((*found)[2].matched ? (*found)[2] : (*found)[1]);
            for (int day = std::stoi((*found)[1]); day <= last; ++day) days_.insert(day);
        }
    }

    // "Mondays and Fridays", "from March to October", "every month except June"
    void read_names(const Names& names, const std::string& except, std::set<int>& values) const {
        std::string any;
        for (const auto& name : names) any += (any.empty() ? "" : "|") + name;
        const std::regex named("(" + any + ")(?: to (" + any + "))?");
        const auto index = [&names](const std::string& name) {
            return static_cast<int>(std::ranges::find(names, name) - names.begin());
        };
        const int size = static_cast<int>(names.size());
        const int least = names.front() == "-" ? 1 : 0;
        for (std::sregex_iterator found(sentence_.begin(), sentence_.end(), named), end; found != end; ++found) {
            const int last = index((*found)[2].matched ? (*found)[2] : (*found)[1]);
            for (int value = index((*found)[1]);; value = value + 1 == size ? least : value + 1) {
                values.insert(value);
                if (value == last) break;
            }
        }
        std::string lower = sentence_;
        lower.front() = lower.front() == 'E' ? 'e' : lower.front();
        if (lower.find(except) == std::string::npos) return;
        std::set<int> others;
        for (int value = least; value < size; ++value) {
            if (!values.contains(value)) others.insert(value);
        }
        values = others;
    }

    const std::string& sentence_;
    std::set<int> days_;
    std::set<int> weekdays_;
    std::set<int> months_;
};

TEST(Explain, TheDatesReadFromTheSentenceAreThoseThatMatch) {
    std::size_t read = 0;
    std::size_t all = 0;
    for (const auto& text : many_expressions()) {
        const auto expression = parsed(text);
        if (expression.every) continue;
        const auto sentence = said(text);
        const DateReader reader(sentence);
        ++all;
        if (!reader.knows_the_form()) continue;
        ++read;
        const CronPattern pattern(expression);
        // Two years, one of them a leap year, hold every weekday on every day of some month.
        for (chrono::local_days day{chrono::year{2027} / 1 / 1}; day < chrono::local_days{chrono::year{2029} / 1 / 1};
             day += chrono::days{1}) {
            const auto match = pattern.at_or_after(day);
            ASSERT_EQ(reader.promises(day), match && *match < day + chrono::days{1})
                << text << ": " << sentence << " on " << format_local(day);
        }
    }
    EXPECT_GE(read * 100, all * 70) << read << " of " << all << " sentences could be read";
}

}  // namespace
}  // namespace belfry::spec::explain_truth_test
