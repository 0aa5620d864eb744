// An instant or a date that parses comes back from its text unchanged.
#include "base/time/instant.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;

namespace {

void check_instant(std::string_view text) {
    const auto parsed = parse_instant(text);
    const std::string about(text);
    if (!parsed) return fuzz::require(!parsed.error().message.empty(), "a refusal has a reason", about);
    fuzz::require(*parsed >= kInstantMin && *parsed <= kInstantMax, "an instant is in the years 1 to 9999", about);
    const auto written = format_instant(*parsed);
    const auto again = parse_instant(written);
    fuzz::require(again.has_value(), "the written text parses", about + " -> " + written);
    fuzz::require(*again == *parsed, "the written text means the same", about + " -> " + written);
    fuzz::require(format_instant(*again) == written, "there is one written text", about + " -> " + written);
}

void check_date(std::string_view text) {
    const auto parsed = parse_date(text);
    const std::string about(text);
    if (!parsed) return fuzz::require(!parsed.error().message.empty(), "a refusal has a reason", about);
    fuzz::require(parsed->ok(), "a date is in the calendar", about);
    const auto written = format_date(*parsed);
    const auto again = parse_date(written);
    fuzz::require(again.has_value() && *again == *parsed, "the written date means the same", about + " -> " + written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    check_instant(text);
    check_date(text);
    return 0;
}
