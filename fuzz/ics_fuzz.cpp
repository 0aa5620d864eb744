// Whatever a file holds, reading it ends, keeps its promises, and what is written from it is read again as the same
// dates.
#include <algorithm>

#include "fuzz_target.hpp"
#include "require.hpp"
#include "spec/calendar/ics.hpp"
#include "support/worlds/zones.hpp"

using namespace belfry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const spec::IcsOptions options{.timezone = "Europe/Berlin", .today = std::chrono::year{2026} / 6 / 15};
    const auto reading = spec::read_ics(text, test::zones(), options);
    if (!reading) {
        fuzz::require(!reading.error().message.empty(), "a refusal has a reason", text);
        return 0;
    }
    fuzz::require(reading->dates.size() <= spec::kCalendarDatesMax, "a reading has a bound", text);
    fuzz::require(std::ranges::is_sorted(reading->dates), "dates are sorted", text);
    fuzz::require(reading->ignored.size() <= reading->ignored_count, "what is named was counted", text);

    spec::CalendarText calendar{.name = "fuzz", .timezone = "Europe/Berlin"};
    for (const auto date : reading->dates) {
        fuzz::require(date.ok() && parse_date(format_date(date)) == date, "a date can be written", text);
        calendar.dates.push_back(format_date(date));
    }
    const auto again = spec::read_ics(spec::write_ics(calendar, Instant{}), test::zones(), options);
    // A file with very many single days is larger than what may be read.
    if (again)
        fuzz::require(again->dates == reading->dates && again->ignored_count == 0, "what is written is read again",
                      text);
    return 0;
}
