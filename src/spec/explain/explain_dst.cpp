#include "spec/explain/english.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

std::string clock_text(LocalSeconds local) { return time_in_words(local, ClockStyle::hours_24); }

// "28 Mar": the row next to it shows the year.
std::string short_date(LocalSeconds local) {
    const chrono::year_month_day date(chrono::floor<chrono::days>(local));
    return std::to_string(static_cast<unsigned>(date.day())) + " " +
           month_name(static_cast<int>(static_cast<unsigned>(date.month()))).substr(0, 3);
}

std::string shifted_to(LocalSeconds nominal, LocalSeconds actual) {
    const bool same_date = chrono::floor<chrono::days>(nominal) == chrono::floor<chrono::days>(actual);
    return " → runs " + clock_text(actual) + (same_date ? "" : " on " + short_date(actual));
}

}  // namespace

std::string describe(const DstMark& mark, Instant occurrence, const Zone& zone) {
    const auto date = " on " + short_date(mark.nominal);
    const auto missing = clock_text(mark.nominal) + " does not exist" + date;
    const auto repeated = clock_text(mark.nominal) + " happens twice" + date + " → runs ";
    switch (mark.kind) {
        case DstMark::Kind::shifted: return missing + shifted_to(mark.nominal, zone.to_local(occurrence));
        case DstMark::Kind::first_pass: return repeated + "once, the first time";
        case DstMark::Kind::last_pass: return repeated + "once, the second time";
        case DstMark::Kind::both_first: return repeated + "both times, this is the first";
        case DstMark::Kind::both_second: return repeated + "both times, this is the second";
    }
    return "";
}

}  // namespace belfry::spec
