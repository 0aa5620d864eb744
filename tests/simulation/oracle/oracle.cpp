#include "simulation/oracle/oracle.hpp"

#include "base/crypto/sha256.hpp"
#include "support/oracles/store_snapshot.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::sim {

using model::EventType;
using model::ExecutionStatus;
using model::ScheduleStatus;

namespace {

constexpr std::size_t kMany = 10'000;
constexpr Micros kInstant{1};
constexpr Micros kGraceOfInstants = Seconds{60};  // an instant this little in the past still counts when it is made

// Written from docs/internals/invariants.md, not from model/run/audit.cpp.
std::string link(const std::string& previous, const std::string& schedule, const model::Event& event) {
    auto text = previous;
    for (const auto& part : {schedule, std::to_string(event.sequence), std::string(name_of(event.type)),
                             std::to_string(epoch_us(event.recorded_at)), to_text(event.payload)}) {
        text += ":" + std::to_string(part.size()) + ":" + part;
    }
    return sha256_bytes(text);
}

std::string hex(const std::string& bytes) {
    constexpr auto* kDigits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += kDigits[static_cast<unsigned char>(c) >> 4U];
        text += kDigits[static_cast<unsigned char>(c) & 15U];
    }
    return text;
}

CommandKind kind_of(EventType type) {
    switch (type) {
        case EventType::schedule_created: return CommandKind::create;
        case EventType::schedule_updated: return CommandKind::update;
        case EventType::schedule_paused: return CommandKind::pause;
        case EventType::schedule_resumed:
        case EventType::schedule_breaker_closed: return CommandKind::resume;
        case EventType::schedule_deleted: return CommandKind::remove;
        default: return CommandKind::trigger;
    }
}

std::string asked_by(const model::Event& event) {
    // Of a change or of the end of a run, it follows from them.
    if (event.type == EventType::schedule_breaker_closed && event.payload.at("reason").as_string() != "it was resumed")
        return {};
    const auto* const context = event.payload.as_object().if_contains("command_context");
    const auto* const name = context != nullptr ? context->as_object().if_contains("request_id") : nullptr;
    return name != nullptr ? std::string(name->as_string()) : std::string();
}

bool told_by_trigger(const model::Event& event) {
    const auto* const cause = event.payload.as_object().if_contains("cause");
    return event.type == EventType::schedule_deleted || (cause != nullptr && *cause == "trigger");
}

}  // namespace

Oracle::Oracle(store::MemoryStore& database, const DatabaseClock& clock, const SimOptions& options, Coverage& coverage)
    : database_(database),
      clock_(clock),
      options_(options),
      coverage_(coverage),
      commands_([this](int invariant, const std::string& what) { breach(invariant, what); }),
      walks_(database, clock, coverage, [this](int invariant, const std::string& what) { breach(invariant, what); }),
      budgets_(database, options, coverage,
               [this](int invariant, const std::string& what) { breach(invariant, what); }) {}

void Oracle::breach(int invariant, const std::string& what) {
    breaches_.push_back(std::to_string(invariant) + ": " + what);
}

void Oracle::committed(const Commit& commit) {
    const auto after = database_.schedule({"default", commit.schedule});
    if (!after) return breach(17, "schedule " + commit.schedule + " was changed and cannot be read");
    auto& life = lives_[commit.schedule];
    budgets_.begin_commit();
    // A command that finds a spread unfinished skips the rest of it first, by the old definition.
    const bool gives_up = life.record.state.spread_until && !commit.by_tick;
    const bool goes_on = commit.lease && !is_over(life, commit.lease->run_id);
    if (gives_up) take_rows(life, commit, *after);
    read_events(life, commit, *after);
    if (!gives_up) take_rows(life, commit, *after);
    if (goes_on && is_over(life, commit.lease->run_id)) check_released(life, *after);
    check_state(life, commit, *after);
    life.record = *after;
    life.answers = after->state.status == ScheduleStatus::active;
    check_event_counts(life);
}

void Oracle::take_rows(Life& life, const Commit& commit, const store::ScheduleRecord& after) {
    for (const auto& id : commit.runs) {
        if (const auto row = database_.run("default", id)) {
            take_row(life, *row, commit, after);
            walks_.take(*row, commit, life.definition_of(*row));
        } else {
            breach(17, "run " + id + " was written and cannot be read");
        }
    }
}

bool Oracle::is_over(const Life& life, const std::string& run_id) {
    const auto run = life.runs.find(run_id);
    return run != life.runs.end() && is_terminal(run->second.execution);
}

// 15: the end of a run lets out of the buffer as many as fit, and a refusal is nobody's turn.
void Oracle::check_released(const Life& life, const store::ScheduleRecord& after) {
    const bool lives = after.state.status == ScheduleStatus::active || after.state.status == ScheduleStatus::completed;
    const auto limit = after.definition.overlap.limit();
    const bool room = !limit || std::cmp_less(life.in_flight.size(), *limit);
    if (lives && room && !life.buffered.empty() && after.unreadable.empty() &&
        !excused_.contains(after.definition.id)) {
        breach(15, "a run of " + after.definition.id + " ended, and what was buffered stayed although there was room");
    }
}

// 8: gapless from 1, every hash follows from the one before.
void Oracle::read_events(Life& life, const Commit& commit, const store::ScheduleRecord& after) {
    const auto events = database_.events({"default", commit.schedule}, life.sequence, kMany);
    if (!events) return breach(8, "the events of " + commit.schedule + " cannot be read");
    std::set<std::pair<std::string, CommandKind>> told;  // one command may leave several events of a kind in one commit
    for (const auto& record : *events) {
        if (record.event.sequence != ++life.sequence)
            breach(8, "event " + std::to_string(record.event.sequence) + " leaves a gap");
        life.hash = link(life.hash, commit.schedule, record.event);
        if (record.hash != hex(life.hash))
            breach(8, "the chain is broken at event " + std::to_string(record.event.sequence));
        if (record.event.recorded_at > clock_.highest() + (told_by_trigger(record.event) ? kTriggersAhead : Micros{0}))
            breach(3, "an event is recorded in the future");
        // A slot that was taken has its row already.
        if (!test::tells_of_taken_slot(record.event)) life.events[record.event.type] += 1;
        const auto kind = kind_of(record.event.type);
        if (const auto name = asked_by(record.event); !name.empty() && told.emplace(name, kind).second)
            commands_.happened(name, kind);
        take_event(life, record.event, after, commit);
    }
    if (after.state.events != life.sequence) breach(8, "the state counts other events than there are");
}

// From when and until when the schedule answers for its occurrences.
void Oracle::take_event(Life& life, const model::Event& event, const store::ScheduleRecord& after,
                        const Commit& commit) {
    const auto at = event.recorded_at;
    const auto until = life.record.state.paused_until;
    switch (event.type) {
        case EventType::schedule_created:
            take_definition(life, after.definition);
            life.covered = life.spec->one_time() ? at - kGraceOfInstants : at;
            break;
        case EventType::schedule_updated: {
            const bool new_spec = !(life.record.definition.spec == after.definition.spec);
            const bool recomputes = new_spec && life.record.state.status != ScheduleStatus::paused;
            if (recomputes) check_nothing_owed(life, at, "a change of its spec");
            const auto ahead = life.decided_ahead(at);
            take_definition(life, after.definition);
            // The rest of a spread is skipped by the same commit, also what is due before its occurrence.
            const auto skipped = life.record.state.spread_until && life.newest ? *life.newest : at;
            if (recomputes) life.covered = std::max({at, ahead, skipped});
            if (recomputes && ahead > at) coverage_.see(Sight::decided_ahead);
            if (new_spec) coverage_.see(Sight::updated_spec);
            break;
        }
        case EventType::schedule_paused:
            coverage_.see(Sight::paused);
            check_nothing_owed(life, at, "a pause");
            break;
        case EventType::schedule_resumed:
            if (until && *until <= at) coverage_.see(Sight::pause_ran_out);
            life.covered = until && *until <= at ? *until - kInstant : at;
            if (const auto& missed = life.record.definition.missed; missed.counts_pauses()) {
                life.covered = life.record.state.paused_at.value_or(at);
            }
            life.covered = std::max(life.covered, life.newest.value_or(life.covered));
            life.failures_in_a_row = 0;
            break;
        case EventType::schedule_breaker_closed: life.failures_in_a_row = 0; break;
        case EventType::schedule_deleted:
            if (event.payload.at("reason").as_string() == "max_runs_exhausted") {
                coverage_.see(Sight::max_runs_exhausted);
            } else {
                check_nothing_owed(life, at, "its deletion");
            }
            break;
        default: break;
    }
    if (commit.by_tick && event.type == EventType::schedule_completed && life.spec->one_time())
        coverage_.see(Sight::one_time_completed);
}

void Oracle::take_definition(Life& life, const model::Schedule& after) {
    const auto& before = life.record.definition;
    if (!life.spec || !(before.spec == after.spec)) {
        life.spec = test::compile(after.spec);
        life.ranges.clear();  // they tell of the occurrences of the old one
    }
    if (before.inputs_rotation != after.inputs_rotation) life.rotation = 0;
    if (!(before.target == after.target) || before.breaker_failures != after.breaker_failures)
        life.failures_in_a_row = 0;
    life.versions.insert_or_assign(after.version, after);
    // The rows of this commit are judged by it.
    life.record.definition = after;
}

// 2: a change must not swallow what nobody has decided yet.
void Oracle::check_nothing_owed(Life& life, Instant at, const char* when) {
    if (!life.answers || excused_.contains(life.record.definition.id)) return;
    const auto owed = life.next_owed();
    if (owed && life.fire_time(*owed) <= at)
        breach(2, format_instant(*owed) + " was due and had no outcome at " + when);
}

void Oracle::check_state(const Life& life, const Commit& commit, const store::ScheduleRecord& after) {
    const auto& state = after.state;
    const auto& before = life.record.state;
    const auto differs = [&](const char* what, auto stored, auto counted) {
        if (std::cmp_not_equal(stored, counted)) {
            breach(4, std::string(what) + " is stored as " + std::to_string(stored) + " and counted as " +
                          std::to_string(counted));
        }
    };
    differs("in flight", state.in_flight, life.in_flight.size());
    differs("buffered", state.buffered, life.buffered.size());
    differs("runs", state.runs, life.dispatched);
    if (state.status == ScheduleStatus::deleted && !life.buffered.empty())
        breach(15, "buffered runs of a deleted schedule");
    if (state.status == ScheduleStatus::completed && life.in_flight.empty() && !life.buffered.empty())
        breach(15, "stranded in the buffer");
    if (state.status != ScheduleStatus::active) {
        if (state.status == ScheduleStatus::completed && before.status == ScheduleStatus::active && life.next_owed()) {
            breach(2, "completed although " + format_instant(*life.next_owed()) + " has no outcome");
        }
        return;
    }
    if (!state.next_occurrence) return breach(7, "an active schedule without a cursor");
    // A cursor that was put back may stand on what is decided already, even when nothing else is left.
    const auto owed = life.next_owed();
    if (owed ? *state.next_occurrence > *owed : !life.decided.contains(*state.next_occurrence)) {
        breach(7, "the cursor is at " + format_instant(*state.next_occurrence) + " and passed over " +
                      (owed ? format_instant(*owed) : "the end"));
    }
    if (life.decided.contains(*state.next_occurrence)) coverage_.see(Sight::cursor_put_back);
    if (!commit.by_tick || !before.next_occurrence || before.status != ScheduleStatus::active) return;
    if (*state.next_occurrence < *before.next_occurrence) breach(7, "the cursor moved back");
    for (const auto& id : commit.runs) {
        const auto& slot = life.runs.at(id).slot;
        if (slot.cause == model::RunCause::tick && slot.occurrence >= *state.next_occurrence)
            breach(7, "decided without moving the cursor");
    }
}

// 8: one event per mutation.
void Oracle::check_event_counts(const Life& life) {
    const auto expect = [&](EventType type, std::int64_t count) {
        const auto found = life.events.find(type);
        const auto told = found == life.events.end() ? 0 : found->second;
        if (told != count)
            breach(8, std::to_string(told) + " events " + std::string(name_of(type)) + " for " + std::to_string(count));
    };
    expect(EventType::schedule_created, 1);
    expect(EventType::schedule_updated, life.record.definition.version - 1);
    expect(EventType::schedule_triggered, life.dispatched);
    expect(EventType::schedule_trigger_skipped, life.skipped_rows);
}

// 11: a term belongs to one server for ever.
void Oracle::attended(const store::ClusterView& view) {
    if (view.leader.empty()) return;
    const auto [found, is_new] = terms_.emplace(view.term, view.leader);
    if (is_new && terms_.size() > 1) coverage_.see(Sight::leader_changed);
    if (found->second != view.leader) breach(11, "term " + std::to_string(view.term) + " has two leaders");
}

// 11: at most one trusts its term. A jump of the database's clock ends a lease before its time; that is no harm, and no
// promise.
void Oracle::stand(const std::vector<Standing>& servers) {
    if (clock_.since_jump() < options_.clock_confirm + options_.engine.member.lease * 5) return;
    std::string leader;
    for (const auto& each : servers) {
        if (!each.leading) continue;
        if (!leader.empty()) breach(11, leader + " and " + each.server + " lead at once");
        leader = each.server;
    }
}

}  // namespace belfry::sim
