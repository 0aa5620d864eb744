#include "api/schedule_type.hpp"

#include <array>
#include <boost/json/object.hpp>
#include <utility>

#include "api/fields.hpp"
#include "spec/explain.hpp"

namespace belfry::api {

namespace {

enum class Kind : std::uint8_t { once, recurring };

std::optional<Kind> kind_of_spec(const spec::SpecText& spec) {
    if (!spec.intervals.empty()) return std::nullopt;
    if (spec.cron.size() == 1 && spec.at.empty()) return Kind::recurring;
    if (spec.cron.empty() && spec.at.size() == 1) return Kind::once;
    return std::nullopt;
}

Result<Kind> parse_kind(std::string_view text) {
    if (text == "once") return Kind::once;
    if (text == "recurring") return Kind::recurring;
    return invalid("type " + in_quotes(text) + ": use one of once, recurring");
}

}  // namespace

Result<spec::SpecText> spec_from_type(const Json& type, const spec::SpecText& base) {
    Fields fields(type);
    const auto kind = fields.parsed("type", &parse_kind);
    const bool once = kind == Kind::once;
    auto spec = base;
    spec.cron.clear();
    spec.intervals.clear();
    spec.at.clear();
    if (!kind) {
        // Both sets of names are known, so that the lack of the type is what is told.
        for (const auto* name : {"runAt", "cron", "endAt"}) static_cast<void>(fields.any(name));
        fields.lack("type");
    } else if (once) {
        spec.at.push_back(fields.required("runAt", fields.text("runAt")));
    } else {
        spec.cron.push_back(fields.required("cron", fields.text("cron")));
        spec.end_at = fields.text("endAt");
    }
    if (auto zone = fields.text("timezone")) spec.timezone = std::move(*zone);
    static_cast<void>(fields.any("description"));  // the server's own
    if (auto error = fields.finish()) return *error;
    return spec;
}

Json type_from_spec(const spec::SpecText& spec, const spec::ZoneDatabase& zones) {
    const auto kind = kind_of_spec(spec);
    if (!kind) return nullptr;
    boost::json::object type;
    if (kind == Kind::once) {
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
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPlaces{{{"/spec/cron/0", "/scheduleType/cron"},
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
