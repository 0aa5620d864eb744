// fn_backfill_schedule: runs the occurrences since a time that have no run, or shows what it would run.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"
#include "api/resources/runs/run_shapes.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::DispatchStatus;

struct Tally {
    std::int64_t dispatched = 0;
    std::int64_t skipped_existing = 0;
    std::int64_t skipped = 0;
    boost::json::array ticks = {};

    void add(Instant at, std::string_view status) {
        ticks.push_back(object{{"fire_at", format_instant(at)}, {"status", status}});
    }
    void add_existing(Instant at) {
        ++skipped_existing;
        add(at, "exists");
    }
    void add_decision(Instant at, DispatchStatus dispatch, const std::optional<model::SkipReason>& reason) {
        ++(dispatch == DispatchStatus::dispatched ? dispatched : skipped);
        add(at, reason ? "skip: " + std::string(name_of(*reason)) : std::string(name_of(dispatch)));
    }
};

// Clients read `would_dispatch` and `ticks` of a dry run, and the counts of the others.
Json tally_json(Tally tally, bool dry_run) {
    return object{{"dry_run", dry_run},
                  {"would_dispatch", dry_run ? Json(tally.dispatched) : Json(nullptr)},
                  {"dispatched", dry_run ? 0 : tally.dispatched},
                  {"skipped_existing", tally.skipped_existing},
                  {"skipped", tally.skipped},
                  {"ticks", std::move(tally.ticks)}};
}

Error in_since(Error error) {
    if (error.code == ErrorCode::invalid_argument) error.field = "/p_since";
    return error;
}

Result<Json> dry_run(const RpcServices& services, const store::ScheduleRef& ref,
                     const decide::BackfillRequest& request) {
    const auto found = services.backfills.dry_run(ref, request);
    if (!found) return in_since(found.error());
    if (found->more) {
        return in_since(invalid("there are more than " + std::to_string(engine::kDryRunRowsMax) +
                                " occurrences since then; choose a later time"));
    }
    Tally tally;
    for (const auto& passed : found->passed_over) tally.add_existing(passed.occurrence);
    for (const auto& run : found->runs) tally.add_decision(run.slot.occurrence, run.dispatch, run.reason);
    return tally_json(std::move(tally), true);
}

Result<Json> backfill(const RpcServices& services, const Call& call) {
    const Values arguments(call.body);
    const auto record = schedule_of(services.reader, call);
    if (!record) return record.error();
    const auto since = arguments.instant("p_since");
    const auto now = services.reader.now();
    if (!now) return now.error();
    if (!since || *since >= *now) return in_since(invalid("must be in the past"));
    const auto ref = ref_of(*record);
    const decide::BackfillRequest request{.from = *since, .to = *now};
    if (arguments.boolean("p_dry_run").value_or(false)) return dry_run(services, ref, request);
    // Due occurrences belong to the ticks. Settle them first, so that the range leaves nothing to them.
    if (const auto settled = services.schedules.settle(ref); !settled) return settled.error();
    const auto occurrences = services.backfills.run_at_once(ref, request, call.context());
    if (!occurrences) return in_since(occurrences.error());
    Tally tally;
    for (const auto& [at, run] : *occurrences) {
        run ? tally.add_decision(at, run->dispatch, run->reason) : tally.add_existing(at);
    }
    return tally_json(std::move(tally), false);
}

ShapePtr tally_shape() {
    const auto tick =
        answer_record("RpcBackfillTick", {{"fire_at", instant(), "Time of the occurrence."},
                                          {"status", text(), "`dispatched`, `exists`, or `skip: ` with the reason."}});
    return answer_record(
        "RpcBackfill",
        {{"dry_run", boolean(), "Whether nothing was changed."},
         {"would_dispatch", or_null(integer()), "Number of runs that would start. Null unless it is a dry run."},
         {"dispatched", integer(), "Number of runs that were started."},
         {"skipped_existing", integer(), "Number of occurrences that had a run already."},
         {"skipped", integer(), "Number of occurrences that a guard skipped, or would skip."},
         {"ticks", list_of(tick), "The occurrences. Those that had a run come first in a dry run."}});
}

}  // namespace

void add_backfill_function(std::vector<Function>& functions, const RpcServices& services) {
    functions.push_back(
        {.name = "fn_backfill_schedule",
         .summary = "Run the occurrences since a time that have no run.",
         .details = "At most 1,000 occurrences. A dry run changes nothing.",
         .permission = model::Permission::operate,
         .arguments = record("RpcBackfillSchedule",
                             {schedule_argument(),
                              {"p_since", instant(), "Earliest time of an occurrence.", Presence::required},
                              {"p_dry_run", boolean(), "Whether to change nothing. Defaults to false."}}),
         .answer = tally_shape(),
         .says = "What was started, or would be.",
         .value = [services](const Call& call) { return backfill(services, call); }});
}

}  // namespace belfry::api::rpc
