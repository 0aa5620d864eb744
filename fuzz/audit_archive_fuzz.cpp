// A line of an archive: whatever is read is written back as the same event.
#include "fuzz_target.hpp"
#include "model/run/audit_chain.hpp"
#include "require.hpp"

using namespace belfry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto line = fuzz::text_of(data, size);
    const auto archived = model::parse_archive_line(line);
    if (!archived) return 0;
    const std::string about(line);
    const auto again = model::parse_archive_line(model::archive_line(*archived));
    fuzz::require(again.has_value(), "a written line is read", about);
    fuzz::require(*again == *archived, "it is the same event", about);
    model::ChainPoint point{archived->event.sequence - 1, archived->previous};
    const auto broken = model::follow(point, archived->schedule_id, archived->event);
    fuzz::require(broken.has_value() == (point.sequence < archived->event.sequence), "a break does not move", about);
    return 0;
}
