#include "api/resources/schedules/schedule_type.hpp"

#include <array>
#include <boost/json/object.hpp>
#include <utility>

#include "api/contract/values.hpp"
#include "base/errors.hpp"
#include "base/text/ascii.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::api {

namespace {

enum class Timing : std::uint8_t { once, recurring };

std::optional<Timing> kind_of_spec(const spec::SpecText& spec) {
    if (!spec.intervals.empty() || !spec.events.empty()) return std::nullopt;
    if (spec.cron.size() == 1 && spec.at.empty()) return Timing::recurring;
    if (spec.cron.empty() && spec.at.size() == 1) return Timing::once;
    return std::nullopt;
}

Error only_of(const char* name, const char* kind) {
    return in_field(invalid(in_quotes(name) + " belongs to the type " + kind + "; remove it or change the type"),
                    std::string("/") + name);
}

}  // namespace

Result<spec::SpecText> spec_from_type(const Json& type, const spec::SpecText& base) {
    const Values values(type);
    const bool once = values.text("type") == "once";
    const auto time = values.text(once ? "runAt" : "cron");
    const char* const name = once ? "runAt" : "cron";
    Errors errors;
    if (!time) errors.push_back(in_field(invalid(in_quotes(name) + " is missing; add it"), std::string("/") + name));
    if (once && values.has("cron")) errors.push_back(only_of("cron", "recurring"));
    if (once && values.has("endAt")) errors.push_back(only_of("endAt", "recurring"));
    if (!once && values.has("runAt")) errors.push_back(only_of("runAt", "once"));
    if (!errors.empty()) return combine_errors(std::move(errors));
    auto spec = base;
    spec.cron.clear();
    spec.intervals.clear();
    spec.at.clear();
    (once ? spec.at : spec.cron).push_back(*time);
    if (!once) spec.end_at = values.text("endAt");
    if (auto zone = values.text("timezone")) spec.timezone = std::move(*zone);
    return spec;
}

Json type_from_spec(const spec::SpecText& spec, const spec::ZoneDatabase& zones) {
    const auto kind = kind_of_spec(spec);
    if (!kind) return nullptr;
    boost::json::object type;
    if (kind == Timing::once) {
        type["type"] = "once";
        type["runAt"] = spec.at.front();
    } else {
        type["type"] = "recurring";
        type["cron"] = spec.cron.front();
        type["endAt"] = spec.end_at ? Json(*spec.end_at) : Json(nullptr);
    }
    type["timezone"] = spec.timezone;
    type["description"] = spec::explain(spec, zones, {.with_zone = false});
    return type;
}

Error in_short_form(Error error) {
    for (auto& other : error.more) other = in_short_form(std::move(other));
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPlaces{
        {{"/spec/cron/0", "/scheduleType/cron"},
         {"/spec/at/0", "/scheduleType/runAt"},
         {"/spec/timezone", "/scheduleType/timezone"},
         {"/spec/endAt", "/scheduleType/endAt"},
         {"/spec", "/scheduleType"}}};
    for (const auto& [native, brief] : kPlaces) {
        if (error.field != native) continue;
        error.field = brief;
        break;
    }
    return error;
}

}  // namespace belfry::api
