// Definitions as requests bring them: no JSON breaks the check of their shape or the reader behind it; what is read is
// answered in its shape, and the answer can be sent back.
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"
#include "support/worlds/zones.hpp"

using namespace belfry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string about(fuzz::text_of(data, size));
    const auto json = parse_json(about, {.numbers = JsonNumbers::exact});
    if (!json || kind_of(*json) != JsonKind::object) return 0;
    const auto errors = api::check(*json, *api::schedule_request_shape());
    fuzz::require(errors.size() <= api::kErrorsMax, "errors are bounded", about);
    for (const auto& error : errors)
        fuzz::require(!error.message.empty() && error.field.starts_with('/'), "a refusal has a reason and a place",
                      about);
    if (!errors.empty()) return 0;
    const auto schedule = api::read_new_schedule(*json, "default");
    if (!schedule) {
        fuzz::require(!schedule.error().message.empty(), "a refusal has a reason", about);
        return 0;
    }
    store::ScheduleRecord record{.definition = *schedule};
    record.definition.id = "018f3c1e-0000-7000-8000-000000000000";
    const Json answer = api::to_json(record, test::zones(), Json(nullptr));
    for (const auto& error : api::check(answer, *api::schedule_shape(), api::Side::answer)) {
        fuzz::require(false, "the answer has its shape", about + " -> " + error.field + " " + error.message);
    }
    fuzz::require(api::check(answer, *api::schedule_request_shape()).empty(), "the answer can be sent back",
                  about + " -> " + to_text(answer));
    return 0;
}
