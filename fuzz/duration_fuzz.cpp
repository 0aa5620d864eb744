// A duration that parses comes back from its text unchanged, and stays inside its bounds.
#include "base/time/duration.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const auto any = parse_duration(text);
    const auto iso = parse_iso_duration(text);
    const std::string about(text);
    if (!any) {
        fuzz::require(!any.error().message.empty(), "a refusal has a reason", about);
        fuzz::require(!iso, "what the strict parser takes, the other takes as well", about);
        return 0;
    }
    if (iso) fuzz::require(*iso == *any, "both parsers give one value", about);
    fuzz::require(*any >= Micros{0} && *any <= kDurationMax, "a duration is inside its bounds", about);
    const auto written = format_duration(*any);
    const auto again = parse_iso_duration(written);
    fuzz::require(again.has_value(), "the written text parses", about + " -> " + written);
    fuzz::require(*again == *any, "the written text means the same", about + " -> " + written);
    fuzz::require(format_duration(*again) == written, "there is one written text", about + " -> " + written);
    return 0;
}
