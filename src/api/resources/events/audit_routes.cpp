// The route that verifies audit chains.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/cursor.hpp"
#include "api/contract/json_values.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/crypto/sha256.hpp"
#include "engine/audit/audit_verifier.hpp"

namespace belfry::api {

namespace {

using boost::json::object;

Result<engine::AuditPlace> parse_place(std::string_view text) {
    const auto place = parse_cursor(text);
    return place ? engine::parse_audit_place(*place) : Result<engine::AuditPlace>(place.error());
}

Json break_json(const std::string& schedule_id, const model::ChainBreak& broken) {
    return object{{"scheduleId", schedule_id},
                  {"sequence", broken.sequence},
                  {"problem", broken.problem},
                  {"expectedHash", or_null(to_hex(broken.expected))},
                  {"foundHash", or_null(to_hex(broken.found))}};
}

Result<Response> verify(store::StoreReader& reader, const Call& call) {
    engine::AuditRequest request{.tenant = call.tenant()};
    if (const auto wanted = call.query.text("schedule")) request.schedule = schedule_named(call.tenant(), *wanted);
    request.events = call.query.integer("limit").value_or(engine::kAuditEventsMax);
    request.from = call.query.parsed("cursor", &parse_place).value_or(engine::AuditPlace{});
    const auto answer = engine::verify_audit(reader, request);
    if (!answer) return answer.error();
    boost::json::array checkpoints;
    for (const auto& [schedule_id, point] : answer->checkpoints) {
        checkpoints.push_back(
            object{{"scheduleId", schedule_id}, {"sequence", point.sequence}, {"hash", to_hex(point.hash)}});
    }
    const auto& broken = answer->broken;
    const auto next = answer->next ? cursor_text(format_audit_place(*answer->next)) : std::string();
    return json_response(object{{"verified", !broken},
                                {"events", answer->events},
                                {"schedules", answer->schedules},
                                {"break", broken ? break_json(broken->first, broken->second) : Json(nullptr)},
                                {"checkpoints", std::move(checkpoints)},
                                {"nextCursor", or_null(next)}});
}

ShapePtr verification_shape() {
    const auto broken = answer_record(
        "AuditBreak", {{"scheduleId", uuid(), "Schedule whose chain is broken."},
                       {"sequence", integer(1), "Sequence number of the first event that is wrong or missing."},
                       {"problem", text(), "What is wrong, as an English sentence."},
                       {"expectedHash", or_null(text()), "Hash that the chain requires. Null if the event is missing."},
                       {"foundHash", or_null(text()), "Hash in the store. Null if the event is missing."}});
    const auto checkpoint =
        answer_record("AuditCheckpoint", {{"scheduleId", uuid(), "Schedule whose older events are archived."},
                                          {"sequence", integer(1), "Sequence number of the last archived event."},
                                          {"hash", text(), "Hash of that event."}});
    return answer_record(
        "AuditVerification",
        {{"verified", boolean(), "Whether everything that this response covers is intact."},
         {"events", integer(), "Number of events verified in this response."},
         {"schedules", integer(), "Number of schedules whose chains were verified to their end in this response."},
         {"break", or_null(broken), "First break. The verification ends there. Null if there is none."},
         {"checkpoints", list_of(checkpoint),
          "Where the chains in this response begin, if not with their first event."},
         {"nextCursor", or_null(text()), "Cursor to continue the verification. Null if it is complete."}});
}

}  // namespace

void add_audit_routes(Routes& routes, store::StoreReader& reader) {
    routes.push_back(
        {.method = "GET",
         .pattern = "/api/tenants/{tenant}/audit/verify",
         .operation = "verifyAudit",
         .summary = "Verify the audit chains of one schedule or of all schedules.",
         .details = "Computes the hash of every event, looks for gaps, and compares the end of each chain with the "
                    "state of its schedule. Includes deleted schedules and the events of removed ones. One request "
                    "verifies at most 10,000 events of 500 schedules; follow `nextCursor` until it is null.",
         .group = "Events",
         .permission = model::Permission::read,
         .query = {{"schedule", text(), "Id or name of the schedule to verify. Defaults to all schedules."},
                   {"limit", integer(1, engine::kAuditEventsMax),
                    "Maximum number of events to verify in this request. Defaults to 10,000."},
                   {"cursor", checked_text("cursor", &parses<&parse_place>), "`nextCursor` of the previous response."}},
         .answers = {{200, verification_shape()}},
         .handler = [&reader](const Call& call) { return verify(reader, call); }});
}

}  // namespace belfry::api
