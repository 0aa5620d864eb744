// belfry tick: decides the due schedules once, without a server, for a cron job or a test.
#include <algorithm>
#include <set>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/server/outgoing.hpp"
#include "app/server/store_opening.hpp"
#include "app/settings/setting_flags.hpp"
#include "app/settings/setting_values.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::app {

namespace {

struct TickOptions {
    SettingSources sources;
    bool once = false;
    bool json = false;
    std::size_t limit = 100;  // schedules
    Format format = Format::table;
};

std::string text_of(const std::optional<Instant>& instant) { return instant ? format_instant(*instant) : ""; }
Json json_of(const std::optional<Instant>& instant) { return instant ? Json(format_instant(*instant)) : Json(nullptr); }

// Collects every decided run as a row.
class TickRows final : public engine::Observer {
public:
    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant /*at*/) override {
        for (const auto& run : plan.runs) add(schedule, run, plan);
        for (const auto& run : plan.releases) add(schedule, run, plan);
    }
    [[nodiscard]] const std::vector<OutputRow>& rows() const { return rows_; }

private:
    // When the run was due, from its audit event; for a run that was not dispatched, its occurrence.
    static std::string due_time(const decide::PlannedRun& run, const decide::Plan& plan) {
        for (const auto& event : plan.events) {
            const auto& payload = event.payload.get_object();
            if (event.type == model::EventType::schedule_triggered && payload.at("workflow_run_id") == Json(run.id)) {
                return std::string(payload.at("occurrence_time").get_string());
            }
        }
        return format_instant(run.slot.occurrence);
    }

    void add(const model::Schedule& schedule, const decide::PlannedRun& run, const decide::Plan& plan) {
        const auto& state = plan.state;
        const bool dispatched = run.dispatch == model::DispatchStatus::dispatched;
        // A skipped occurrence starts no run, so it has no instance.
        const auto instance = dispatched ? model::instance_id(schedule.name, run.slot) : std::string();
        const auto reason = run.reason ? std::string(name_of(*run.reason)) : std::string();
        const auto occurrence = due_time(run, plan);
        const auto outcome = std::string(name_of(run.dispatch));
        rows_.push_back({{{"schedule_id", schedule.id},
                          {"schedule_name", schedule.name},
                          {"tenant", schedule.tenant},
                          {"instance_id", dispatched ? Json(instance) : Json(nullptr)},
                          {"outcome", outcome},
                          {"reason", run.reason ? Json(reason) : Json(nullptr)},
                          {"occurrence_time", occurrence},
                          {"last_fired_at", json_of(state.last_fired_at)},
                          {"next_fire_at", json_of(state.next_fire)}},
                         {schedule.id, instance, reason.empty() ? outcome : outcome + " (" + reason + ")", occurrence,
                          text_of(state.last_fired_at), text_of(state.next_fire)}});
    }

    std::vector<OutputRow> rows_;
};

// Per transaction: after a long outage one decision takes some milliseconds, and a database waits only a few seconds
// for a lock.
constexpr std::size_t kSchedulesAtOnce = 200;

// Returns whether every due schedule could be decided. `limit` bounds the schedules, and thereby the duration.
Result<bool> tick_all(engine::Schedules& schedules, std::size_t limit, const Console& console) {
    std::size_t decided = 0;
    std::set<std::int64_t> poisoned;
    while (decided < limit) {
        // A schedule that cannot be decided stays due and is found by every scan, so the scan must reach past those.
        const auto outcome = schedules.tick_once(std::min(limit - decided, kSchedulesAtOnce) + poisoned.size());
        if (!outcome) return outcome.error();
        for (const auto& each : outcome->poisoned) {
            if (poisoned.insert(each.key).second)
                console.note("schedule " + each.id + " cannot be decided: " + each.error.message);
        }
        decided += outcome->plans.size();
        if (outcome->plans.empty()) break;
    }
    return poisoned.empty();
}

ExitCode tick(const TickOptions& options, const Console& console) {
    if (!options.once) return console.fail(invalid("add --once: belfry tick --once; belfry serve ticks continuously"));
    const auto loaded = load_settings(options.sources);
    if (!loaded) return console.fail(loaded.error());
    const auto& settings = loaded->values;
    for (const auto& warning : loaded->warnings) console.note(warning);
    // A mistyped path must not look like a store without due schedules.
    if (!exists(settings))
        return console.fail({ErrorCode::not_found, "the store " + without_password(settings.store) +
                                                       " does not exist: belfry serve creates it"});
    const auto store = open_store(settings, console.zones());
    if (!store) return console.fail(store.error());
    TickRows rows;
    UuidMaker ids(&system_random);
    CurlHttpClient outgoing(outgoing_options(settings));
    engine::Schedules schedules(
        **store, console.zones(), rows, ids,
        {settings.min_interval, {settings.max_catchup_per_tick, settings.lookahead}, &outgoing});
    const auto all = tick_all(schedules, options.limit, console);
    // Print the rows even after an error, because their decisions are committed.
    print_rows(console, options.json ? Format::json : options.format,
               {"SCHEDULE", "INSTANCE", "OUTCOME", "OCCURRENCE", "LAST FIRED", "NEXT FIRE"}, rows.rows());
    if (!all) return console.fail(all.error());
    return *all ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void add_tick(CLI::App& program, Chosen& chosen) {
    auto* const command = program.add_subcommand("tick", "Decide the due schedules once, without a server");
    command->footer("  belfry tick --once\n  belfry tick --once --limit 100 --json --store sqlite:belfry.db");
    const auto options = std::make_shared<TickOptions>();
    command->add_flag("--once", options->once, "Make one pass over the due schedules");
    command->add_option("--limit", options->limit, "Maximum number of schedules to decide [100]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_flag("--json", options->json, "Same as -o json");
    add_format(*command, options->format);
    add_setting_flags(
        *command, options->sources,
        {"store", "data_dir", "max_catchup_per_tick", "lookahead_ms", "outgoing_allow", "outgoing_ca_file"});
    command->callback([options, &chosen] {
        chosen.action = [options](const Console& console) {
            options->sources.environment = process_environment();
            return tick(*options, console);
        };
    });
}

}  // namespace belfry::app
