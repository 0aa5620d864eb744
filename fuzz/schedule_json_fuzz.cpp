// Schedules and calendars from the database: no JSON breaks the readers, and what they read is written and read back
// equal.
#include "base/text/json_pointer.hpp"
#include "fuzz_target.hpp"
#include "model/schedule/schedule_json.hpp"
#include "require.hpp"

using namespace belfry;

namespace {

// The field leads to what is wrong, or, where that is missing, to the object that lacks it.
void check_refusal(const Json& json, const Error& error, const std::string& about) {
    fuzz::require(!error.message.empty(), "a refusal has a reason", about);
    const auto pointer = JsonPointer::parse(error.field);
    if (!pointer || pointer->find(json) != nullptr) return;  // a pointer to a very long key is too long to follow
    const auto parent = JsonPointer::parse(std::string_view(error.field).substr(0, error.field.rfind('/')));
    const auto* const object = parent.value().find(json);
    fuzz::require(object != nullptr && kind_of(*object) == JsonKind::object, "the field leads somewhere",
                  about + " -> " + error.field);
    fuzz::require(error.message.find("missing") != std::string::npos, "what is not there is called missing",
                  about + " -> " + error.message);
}

void check_round_trip(const Json& json, auto read, const std::string& about) {
    const auto value = read(json);
    if (!value) return check_refusal(json, value.error(), about);
    const auto written = to_text(model::to_json(*value));
    const auto parsed = parse_json(written, model::kStoredJsonLimits);
    fuzz::require(parsed.has_value(), "the written text parses", about + " -> " + written);
    const auto again = read(*parsed);
    fuzz::require(again.has_value(), "what was written is read", about + " -> " + written);
    fuzz::require(*again == *value, "it comes back equal", about + " -> " + written);
    fuzz::require(to_text(model::to_json(*again)) == written, "there is one written text", about + " -> " + written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const auto json = parse_json(text, model::kStoredJsonLimits);
    if (!json) return 0;
    check_round_trip(*json, model::schedule_from_json, std::string(text));
    check_round_trip(*json, model::calendar_from_json, std::string(text));
    return 0;
}
