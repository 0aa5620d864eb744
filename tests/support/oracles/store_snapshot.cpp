#include "support/oracles/store_snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "decide/approval/gate.hpp"
#include "store/registry.hpp"

namespace belfry::test {

using model::DispatchStatus;
using model::EventType;
using model::RunCause;

namespace {

constexpr Instant kFarFuture = kInstantMax;
constexpr std::size_t kMany = 1'000;
constexpr std::size_t kOccurrencesMax = 20'000;

std::string text_of(const std::optional<Instant>& at) { return at ? format_instant(*at) : "-"; }

template <typename T>
std::string text_of(const std::optional<T>& number) {
    return number ? std::to_string(*number) : "-";
}

// What is in one list and not in the other.
template <typename T, typename Text>
std::string difference_of(const char* what, const std::vector<T>& one, const std::vector<T>& other, const Text& text) {
    if (one == other) return {};
    std::string words =
        std::string(what) + ": " + std::to_string(one.size()) + " against " + std::to_string(other.size());
    int told = 0;
    for (std::size_t i = 0; i < std::max(one.size(), other.size()) && told < 3; ++i) {
        if (i < one.size() && i < other.size() && one[i] == other[i]) continue;
        words += "\n    [" + std::to_string(i) + "] " + (i < one.size() ? text(one[i]) : "nothing");
        words += "\n    against " + (i < other.size() ? text(other[i]) : "nothing");
        ++told;
    }
    return words + "\n";
}

std::int64_t count_events(const std::vector<store::EventRecord>& events, EventType type) {
    return std::ranges::count_if(events, [type](const auto& record) { return record.event.type == type; });
}

}  // namespace

bool tells_of_taken_slot(const model::Event& event) {
    return event.type == EventType::schedule_trigger_skipped &&
           event.payload.at("reason") == Json("schedule_slot_exists");
}

std::string text_of(const model::Run& run) {
    return run.id + " of " + run.schedule_id + ": " + model::slot_text(run.slot) + " version " +
           std::to_string(run.version) + " fires " + format_instant(run.fire_at) + " decided " +
           format_instant(run.decided_at) + " " + std::string(name_of(run.dispatch)) + " " +
           std::string(name_of(run.execution)) + " reason " + (run.reason ? std::string(name_of(*run.reason)) : "-") +
           " (" + run.detail + ") input " + to_text(run.input) + " #" + std::to_string(run.trigger_number) +
           " rotation " + text_of(run.rotation_index_used) + " overlap " + std::string(name_of(run.overlap)) +
           " range " + (run.range ? format_instant(run.range->last) + " " + std::to_string(run.range->count) : "-") +
           " started " + text_of(run.started_at) + " completed " + text_of(run.completed_at) + " attempts " +
           std::to_string(run.attempts) + " result " + to_text(run.result) + " error " + run.error;
}

std::string text_of(const model::ScheduleState& state) {
    return "revision " + std::to_string(state.revision) + " " + std::string(name_of(state.status)) + " next " +
           text_of(state.next_occurrence) + " fires " + text_of(state.next_fire) + " decided " +
           text_of(state.newest_decided) + " runs " + std::to_string(state.runs) + " skips " +
           std::to_string(state.skips) + " failures " + std::to_string(state.failures) + "/" +
           std::to_string(state.consecutive_failures) + " in flight " + std::to_string(state.in_flight) + " buffered " +
           std::to_string(state.buffered) + " remaining " + text_of(state.remaining_actions) + " rotation " +
           std::to_string(state.rotation_index) + " fired " + text_of(state.last_fired_at) + " skipped " +
           text_of(state.last_skipped_at) + " " + state.last_skip_reason + " completed " +
           text_of(state.last_completed_at) + " " + state.last_completed_run + " error " +
           text_of(state.last_error_at) + " " + state.last_error + " last " + state.last_run_id + " paused " +
           text_of(state.paused_at) + " until " + text_of(state.paused_until) + " " + state.pause_reason + " deleted " +
           text_of(state.deleted_at) + " events " + std::to_string(state.events);
}

std::string text_of(const decide::Plan& plan) {
    std::string text = plan.schedule_id + " at revision " + std::to_string(plan.revision);
    const auto add = [&text](const char* what, const decide::PlannedRun& run) {
        text += std::string("; ") + what + " " + model::slot_text(run.slot) + " " + std::string(name_of(run.dispatch)) +
                " " + std::string(name_of(run.execution)) +
                (run.reason ? " " + std::string(name_of(*run.reason)) : "") + " " + run.detail + " " +
                to_text(run.input);
    };
    for (const auto& run : plan.runs) add("run", run);
    for (const auto& run : plan.releases) add("release", run);
    for (const auto& start : plan.starts) text += "; start " + start.run_id;
    for (const auto& end : plan.ends) text += "; end " + end.run_id + " " + std::string(name_of(end.status));
    for (const auto& change : plan.nodes) {
        text += "; node " + change.node.node + " of " + change.run_id + " " + std::string(name_of(change.node.status)) +
                " ready " + format_instant(change.node.ready_at);
    }
    for (const auto& asked : plan.asks) text += "; asks for " + asked.run_id + " " + asked.node;
    for (const auto& verdict : plan.verdicts)
        text += "; " + std::string(name_of(verdict.status)) + " " + verdict.run_id + " " + verdict.node;
    if (!plan.replays.empty()) text += "; replays " + plan.replays;
    return text + "; " + text_of(plan.state);
}

namespace {

// What is kept beside schedules and runs. Of PostgreSQL's feed only what is settled.
void read_registry(store::Registry& registry, const std::vector<std::string>& tenants, Snapshot& all) {
    if (auto found = registry.keys()) all.keys = std::move(*found);
    for (const auto& tenant : tenants) {
        if (auto found = registry.feed(tenant, 0, kMany)) all.feed.insert(all.feed.end(), found->begin(), found->end());
        const auto webhooks = registry.webhooks(tenant);
        if (!webhooks) continue;
        for (const auto& webhook : *webhooks) {
            all.webhooks.emplace_back(tenant, webhook);
            if (auto found = registry.deliveries(tenant, webhook.id, 0, kMany)) {
                all.deliveries.insert(all.deliveries.end(), found->items.begin(), found->items.end());
            }
        }
    }
    for (auto& item : all.feed) item.position = 0;
    for (auto& delivery : all.deliveries) delivery.item.position = 0;
    // What one call did together, another store may have done part by part.
    const auto order = [](const model::FeedItem& item) {
        return std::tuple(item.at, item.schedule_id, item.run_id, item.type);
    };
    std::ranges::stable_sort(all.feed, {}, order);
    std::ranges::stable_sort(all.deliveries, {},
                             [&](const auto& each) { return std::pair(each.webhook_id, order(each.item)); });
}

// Of runs whose schedules have, or had, a workflow or a fallback: the others have nothing of the kind.
void read_workflow_runs(store::Store& store, Snapshot& all) {
    std::map<std::string, const model::Schedule*> schedules;
    for (const auto& record : all.schedules) schedules[record.definition.id] = &record.definition;
    for (const auto& run : all.runs) {
        const auto& schedule = *schedules.at(run.schedule_id);
        const bool plain = schedule.target.type == model::TargetType::task &&
                           schedule.failure.mode != model::FailureMode::fallback && schedule.retry.max_retries == 0 &&
                           schedule.version == 1;
        if (plain || run.dispatch != DispatchStatus::dispatched) continue;
        const auto walk = store.workflow_run(schedule.tenant, run.id);
        const auto events = store.run_events(schedule.tenant, run.id, 0, kMany);
        EXPECT_TRUE(walk && events) << run.id;
        if (!walk || !events) continue;
        all.walks.push_back({run.id, walk->workflow ? std::optional(*walk->workflow) : std::nullopt, walk->nodes,
                             walk->deadline, walk->events, *events});
    }
}

std::string text_of(const model::Approval& approval) {
    return approval.run_id + " " + approval.node + " after " + std::to_string(approval.attempts) + " " +
           std::string(name_of(approval.why)) + " " + approval.action + " " + std::string(name_of(approval.status)) +
           " asked " + format_instant(approval.requested_at) + " until " + format_instant(approval.expires_at) +
           " decided " + text_of(approval.decided_at) + " " + approval.decided_by + ": " + approval.comment;
}

std::string text_of(const WalkOfRun& walk) {
    auto text = walk.run_id +
                (walk.workflow ? " walks " + walk.workflow->name + " " + std::to_string(walk.workflow->version)
                               : " walks nothing") +
                " until " + text_of(walk.deadline) + " events " + std::to_string(walk.count) + ":";
    for (const auto& node : walk.nodes) {
        text += " [" + node.node + " " + std::string(name_of(node.status)) + " attempts " +
                std::to_string(node.attempts) + " before " + std::to_string(node.attempts_before) + " queue " +
                node.queue + " for " + node.assignee + " ready " + format_instant(node.ready_at) + " started " +
                text_of(node.started_at) + " completed " + text_of(node.completed_at) + " input " +
                to_text(node.input) + " result " + to_text(node.result) + " " + node.error + "]";
    }
    for (const auto& event : walk.events) {
        text += " (" + std::to_string(event.sequence) + " " + event.type + " " + event.node + " " +
                to_text(event.payload) + ")";
    }
    return text;
}

void read_budgets(store::Store& store, Snapshot& all) {
    std::set<model::Day> days;
    for (const auto& run : all.runs) days.insert(model::day_of(run.decided_at));
    for (const auto& [tenant, record] : all.assignees) {
        for (const auto day : days) {
            const auto found = store.budget(tenant, record.id, day);
            if (found) all.budgets[tenant + " " + record.id + " " + format_instant(day)] = *found;
        }
    }
}

}  // namespace

Snapshot read_everything(store::Store& store, const std::vector<std::string>& tenants) {
    Snapshot all;
    std::set<std::int64_t> keys;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (const auto& tenant : tenants) {
        if (auto found = store.tenant(tenant)) all.tenants.push_back(*found);
        append(all.schedules, all_schedules(store, {.tenant = tenant}));
        append(all.schedules, all_schedules(store, {.tenant = tenant, .status = model::ScheduleStatus::deleted}));
        append(all.runs, all_runs(store, {.tenant = tenant}));
        if (auto found = store.calendars(tenant, {.limit = kMany})) append(all.calendars, found->items);
        if (auto found = store.assignees(tenant, {.limit = kMany})) {
            for (const auto& record : found->items) all.assignees.emplace_back(tenant, record);
        }
        if (auto found = store.assignments(tenant, {.limit = kMany})) {
            for (const auto& record : found->items) all.assignments.emplace_back(tenant, record);
        }
        for (const auto& run : all_dead_letters(store, tenant)) all.dead_letters.push_back(run.id);
        for (const auto& head : all_workflows(store, tenant)) {
            if (auto found = store.workflow(tenant, head.name, {})) all.workflows.emplace_back(tenant, **found);
        }
    }
    read_workflow_runs(store, all);
    for (const auto& run : all.runs) {
        const auto schedule =
            std::ranges::find(all.schedules, run.schedule_id, [](const auto& each) { return each.definition.id; });
        if (!decide::may_ask(schedule->definition)) continue;
        if (auto found = store.approvals_of(schedule->definition.tenant, {&run.id, 1})) append(all.approvals, *found);
    }
    if (auto found = store.overdue_approvals(kFarFuture, kMany)) all.pending_approvals = *found;
    std::erase_if(all.pending_approvals,
                  [&tenants](const auto& each) { return std::ranges::find(tenants, each.tenant) == tenants.end(); });
    read_budgets(store, all);
    if (auto found = store.overdue(kFarFuture, kMany)) all.deadlines = *found;
    std::erase_if(all.deadlines,
                  [&tenants](const auto& run) { return std::ranges::find(tenants, run.tenant) == tenants.end(); });
    for (const auto& schedule : all.schedules) {
        const auto ref = ref_of(schedule.definition);
        keys.insert(model::key_of(schedule.definition.id));
        all.events[schedule.definition.id] = all_events(store, ref);
        if (auto found = store.backfills(ref)) append(all.backfills, *found);
    }
    if (auto found = store.expired(kFarFuture, kMany)) all.leases = *found;
    std::erase_if(all.leases, [&keys](const auto& lease) {
        const auto run = model::parse_run_id(lease.ref.run_id);
        return !run || !keys.contains(run->schedule);
    });
    if (auto found = store.running_backfills(kMany)) {
        for (const auto& [tenant, backfill] : *found) {
            if (keys.contains(model::key_of(backfill.schedule_id)))
                all.running_backfills.push_back(tenant + " " + backfill.id);
        }
    }
    read_registry(store.registry(), tenants, all);
    all.upcoming = all_upcoming(store);
    std::erase_if(all.upcoming, [&keys](const auto& each) { return !keys.contains(each.key); });
    // In these the order is the store's own affair.
    std::ranges::sort(all.leases, {}, [](const auto& lease) { return std::pair(lease.ref.run_id, lease.ref.node); });
    std::ranges::sort(all.deadlines, {}, &store::OverdueRun::run_id);
    std::ranges::sort(all.backfills, {}, &model::Backfill::id);
    std::ranges::sort(all.running_backfills);
    std::ranges::sort(all.calendars, {}, [](const auto& record) { return record.calendar.name; });
    return all;
}

std::string difference(const Snapshot& one, const Snapshot& other) {
    std::string words;
    words += difference_of("schedules", one.schedules, other.schedules, [](const auto& each) {
        return each.definition.name + " version " + std::to_string(each.definition.version) + " " + text_of(each.state);
    });
    words += difference_of("runs", one.runs, other.runs, [](const auto& each) { return text_of(each); });
    for (const auto& [id, events] : one.events) {
        const auto found = other.events.find(id);
        if (found == other.events.end()) continue;
        words += difference_of("events", events, found->second, [](const auto& each) {
            return std::to_string(each.event.sequence) + " " + std::string(name_of(each.event.type)) + " " +
                   to_text(each.event.payload) + " " + each.hash;
        });
    }
    words += difference_of("leases", one.leases, other.leases, [](const auto& each) {
        return each.ref.run_id + " " + each.ref.node + " attempt " + std::to_string(each.ref.attempt) + " " +
               each.worker + " " + format_instant(each.since) + " to " + format_instant(each.until);
    });
    words += difference_of("walks", one.walks, other.walks, [](const auto& each) { return text_of(each); });
    words += difference_of("workflows", one.workflows, other.workflows, [](const auto& each) {
        return each.first + " " + each.second.name + " version " + std::to_string(each.second.version);
    });
    words += difference_of("dead letters", one.dead_letters, other.dead_letters, [](const auto& each) { return each; });
    words += difference_of("deadlines", one.deadlines, other.deadlines,
                           [](const auto& each) { return each.run_id + " until " + format_instant(each.deadline); });
    words += difference_of("approvals", one.approvals, other.approvals, [](const auto& each) { return text_of(each); });
    words += difference_of("pending approvals", one.pending_approvals, other.pending_approvals,
                           [](const auto& each) { return each.tenant + " " + text_of(each.approval); });
    words += difference_of("backfills", one.backfills, other.backfills, [](const auto& each) {
        return each.id + " " + std::string(name_of(each.status)) + " next " + text_of(each.next_from) + " version " +
               std::to_string(each.version);
    });
    words += difference_of("running backfills", one.running_backfills, other.running_backfills,
                           [](const auto& each) { return each; });
    words += difference_of("calendars", one.calendars, other.calendars, [](const auto& each) {
        return each.calendar.name + " version " + std::to_string(each.version);
    });
    words += difference_of("assignees", one.assignees, other.assignees, [](const auto& each) {
        return each.first + " " + each.second.id + " version " + std::to_string(each.second.version);
    });
    words += difference_of("assignments", one.assignments, other.assignments, [](const auto& each) {
        return each.first + " " + each.second.id + " version " + std::to_string(each.second.version);
    });
    const auto budgets_of = [](const Snapshot& snapshot) {
        return std::vector<std::pair<std::string, model::BudgetDay>>(snapshot.budgets.begin(), snapshot.budgets.end());
    };
    words += difference_of("budgets", budgets_of(one), budgets_of(other), [](const auto& each) {
        return each.first + " " + std::to_string(each.second.runs) + " runs, " + format_credits(each.second.reserved) +
               " reserved, " + format_credits(each.second.spent) + " spent";
    });
    words += difference_of("tenants", one.tenants, other.tenants,
                           [](const auto& each) { return each.name + " version " + std::to_string(each.version); });
    words += difference_of("upcoming", one.upcoming, other.upcoming, [](const auto& each) {
        return std::to_string(each.key) + " of " + std::to_string(each.tenant) + " fires " + text_of(each.next_fire);
    });
    const auto item_text = [](const model::FeedItem& item) {
        return item.type + " " + format_instant(item.at) + " " + to_text(item.body);
    };
    words += difference_of("feed", one.feed, other.feed, item_text);
    words += difference_of("deliveries", one.deliveries, other.deliveries, [&](const auto& each) {
        return each.webhook_id + " attempts " + std::to_string(each.attempts) + " " + item_text(each.item);
    });
    words += difference_of("keys", one.keys, other.keys, [](const auto& each) { return each.id + " " + each.name; });
    words += difference_of("webhooks", one.webhooks, other.webhooks, [](const auto& each) {
        return each.second.id + " of " + each.first + " version " + std::to_string(each.second.version);
    });
    if (words.empty() && !(one == other)) words = "different in what is not told here";
    return words;
}

void StoreLedger::created(const model::Schedule& schedule, Instant now) {
    const bool one_time = compiled(schedule)->spec.one_time();
    created_[schedule.id] = one_time ? now - decide::kOneTimeGrace : now;
}

void StoreLedger::check(const Snapshot& now) {
    std::map<std::string, std::vector<model::Run>> rows;
    for (const auto& run : now.runs) rows[run.schedule_id].push_back(run);
    for (const auto& schedule : now.schedules) {
        const auto& id = schedule.definition.id;
        SCOPED_TRACE("schedule " + schedule.definition.name + " " + id);
        auto events = now.events.at(id);
        auto& older = events_[id];
        // What is archived meanwhile was seen before.
        const auto gone = events.empty() ? 0 : events.front().event.sequence - 1;
        if (gone > 0 && std::cmp_less_equal(gone, older.size()))
            events.insert(events.begin(), older.begin(), older.begin() + gone);
        expect_chain(schedule, events);
        EXPECT_TRUE(events.size() >= older.size() && std::equal(older.begin(), older.end(), events.begin()))
            << "8: the past was changed";
        older = events;
        check_rows(schedule, rows[id]);
        check_counters(schedule, rows[id], events);
        check_occurrences(schedule, rows[id]);
        check_cursor(schedule, events);
    }
    check_leases(now);
}

// 1 and 10.
void StoreLedger::check_rows(const store::ScheduleRecord& schedule, const std::vector<model::Run>& rows) {
    std::set<model::RunSlot> slots;
    std::set<Instant> ran;
    for (const auto& run : rows) {
        SCOPED_TRACE(text_of(run));
        EXPECT_EQ(run.id, model::run_id(schedule.definition.id, run.slot));
        EXPECT_TRUE(slots.insert(run.slot).second) << "1: two rows in one slot";
        if (run.slot.cause != RunCause::trigger && run.dispatch == DispatchStatus::dispatched) {
            const bool first = ran.insert(run.slot.occurrence).second;
            EXPECT_TRUE(first || rerun_.contains(schedule.definition.id)) << "1: an occurrence ran twice";
        }
        const int turns = schedule.definition.failure.fallback_assignee_id ? 2 : 1;
        EXPECT_LE(run.attempts, (schedule.definition.retry.max_retries + 1) * turns)
            << "10: more attempts than allowed";
        EXPECT_EQ(run.reason.has_value(), run.dispatch == DispatchStatus::skipped) << "2: a reason for every skip";
        EXPECT_EQ(run.completed_at.has_value(), is_terminal(run.execution));
        if (!is_terminal(run.execution) && run.dispatch != DispatchStatus::skipped) continue;
        auto [ended, is_new] = ended_.emplace(run.id, run);
        // Of what was forgotten nobody knows that it was there: another backfill of the same time decides it once more.
        const bool made_anew = forgotten_.contains(run.schedule_id) && run.slot.cause == RunCause::backfill &&
                               run.decided_at > ended->second.decided_at;
        // And one that a backfill skipped is tried again by the next.
        const bool tried_again =
            ended->second.dispatch == DispatchStatus::skipped && run.slot.cause == RunCause::backfill;
        if (made_anew || tried_again) ended->second = run;
        EXPECT_TRUE(is_new || ended->second == run)
            << "10: a run that was over has changed; it was " << text_of(ended->second);
    }
}

// 2: whatever the ticks have passed has its row, or lies in a range that was skipped.
void StoreLedger::check_occurrences(const store::ScheduleRecord& schedule, const std::vector<model::Run>& rows) const {
    const auto created = created_.find(schedule.definition.id);
    const auto& state = schedule.state;
    const auto last =
        state.next_occurrence ? std::optional<Instant>{*state.next_occurrence - Micros{1}} : state.newest_decided;
    if (created == created_.end() || forgotten_.contains(schedule.definition.id) || !last) return;
    std::set<Instant> decided;
    std::vector<std::pair<Instant, Instant>> ranges;
    for (const auto& run : rows) {
        if (run.slot.cause != RunCause::tick) continue;
        decided.insert(run.slot.occurrence);
        if (run.range) ranges.emplace_back(run.slot.occurrence, run.range->last);
    }
    for (const auto at :
         compiled(schedule.definition)->spec.between(created->second + Micros{1}, *last, kOccurrencesMax)) {
        const bool in_range =
            std::ranges::any_of(ranges, [at](const auto& range) { return range.first <= at && at <= range.second; });
        EXPECT_TRUE(in_range || decided.contains(at)) << "2: " << format_instant(at) << " has no outcome";
    }
}

// 5, and one event per mutation.
void StoreLedger::check_counters(const store::ScheduleRecord& schedule, const std::vector<model::Run>& rows,
                                 const std::vector<store::EventRecord>& events) const {
    const auto& state = schedule.state;
    if (schedule.definition.max_runs) {
        EXPECT_LE(state.runs, *schedule.definition.max_runs) << "5: more runs than maxRuns";
    }
    EXPECT_EQ(count_events(events, EventType::schedule_triggered), state.runs) << "8: one event per dispatch";
    EXPECT_EQ(count_events(events, EventType::schedule_created), 1);
    EXPECT_EQ(count_events(events, EventType::schedule_updated), schedule.definition.version - 1);
    if (forgotten_.contains(schedule.definition.id)) return;
    const auto count = [&rows](const auto& is) { return std::ranges::count_if(rows, is); };
    EXPECT_EQ(count([](const auto& run) { return run.dispatch == DispatchStatus::dispatched; }), state.runs);
    EXPECT_EQ(count([](const auto& run) { return is_in_flight(run.execution); }), state.in_flight);
    EXPECT_EQ(count([](const auto& run) { return run.dispatch == DispatchStatus::buffered; }), state.buffered);
    // A slot that was taken has its row already. A backfill uses the row of a slot again that an earlier one skipped.
    const auto skips = [&](bool of_backfills) {
        return std::ranges::count_if(events, [&](const auto& record) {
            const auto& event = record.event;
            return event.type == EventType::schedule_trigger_skipped && !tells_of_taken_slot(event) &&
                   (event.payload.at("cause") == Json("backfill")) == of_backfills;
        });
    };
    const auto skipped_rows = [&](bool of_backfills) {
        return count([=](const auto& run) {
            return run.dispatch == DispatchStatus::skipped && (run.slot.cause == RunCause::backfill) == of_backfills;
        });
    };
    EXPECT_EQ(skipped_rows(false), skips(false)) << "8: one event per skip";
    EXPECT_LE(skipped_rows(true), skips(true)) << "8: an event for every skip";
}

// 7.
void StoreLedger::check_cursor(const store::ScheduleRecord& schedule, const std::vector<store::EventRecord>& events) {
    const auto& state = schedule.state;
    auto& before = cursors_[schedule.definition.id];
    const Cursor now{state.next_occurrence, schedule.definition.version, state.revision,
                     count_events(events, EventType::schedule_resumed)};
    EXPECT_GE(now.revision, before.revision);
    if (before.next_occurrence && now.next_occurrence && before.version == now.version &&
        before.resumed == now.resumed) {
        EXPECT_GE(*now.next_occurrence, *before.next_occurrence) << "7: the cursor moved back";
    }
    before = now;
}

// 11: what runs is held by exactly one lease, of its newest attempt; a node of a workflow, and the only task of any
// other run.
void StoreLedger::check_leases(const Snapshot& now) const {
    std::map<std::pair<std::string, std::string>, int> held;
    for (const auto& lease : now.leases) {
        EXPECT_TRUE(held.emplace(std::pair(lease.ref.run_id, lease.ref.node), lease.ref.attempt).second)
            << "11: two leases on one task";
        EXPECT_TRUE(!lease.deadline || lease.until <= *lease.deadline) << "10: a lease beyond its deadline";
    }
    std::map<std::string, const WalkOfRun*> walking;
    for (const auto& walk : now.walks) {
        if (walk.workflow) walking[walk.run_id] = &walk;
    }
    for (const auto& run : now.runs) {
        const auto walk = walking.find(run.id);
        if (walk != walking.end()) {
            check_workflow_run(run, *walk->second, held);
            continue;
        }
        const auto lease = held.find({run.id, ""});
        EXPECT_EQ(lease != held.end(), run.execution == model::ExecutionStatus::running) << "11: " << text_of(run);
        if (lease == held.end()) continue;
        EXPECT_EQ(lease->second, run.attempts) << "9: the token is the number of the newest attempt";
        held.erase(lease);
    }
    EXPECT_TRUE(held.empty()) << "a lease on a run that does not exist";
}

// 20: a walk is under way exactly as long as its run is; its events have no gap; what it says of a node agrees with the
// leases, which are taken out of `held`.
void StoreLedger::check_workflow_run(const model::Run& run, const WalkOfRun& walk,
                                     std::map<std::pair<std::string, std::string>, int>& held) {
    SCOPED_TRACE(text_of(walk));
    const bool over = is_terminal(run.execution);
    EXPECT_EQ(walk.deadline.has_value(), !over) << "20: " << text_of(run);
    const bool begun = std::ranges::find(walk.events, "run.started", &model::RunEvent::type) != walk.events.end();
    if (!over) {
        EXPECT_EQ(run.execution == model::ExecutionStatus::running, begun)
            << "20: a run is running from its first claim on";
    }
    EXPECT_EQ(walk.count, static_cast<std::int64_t>(walk.events.size()) + 1);
    for (std::size_t i = 0; i < walk.events.size(); ++i)
        EXPECT_EQ(walk.events[i].sequence, static_cast<std::int64_t>(i) + 2) << "20: a gap";
    bool open = false;
    for (const auto& node : walk.nodes) {
        open = open || !is_over(node.status);
        const auto lease = held.find({run.id, node.node});
        EXPECT_EQ(lease != held.end(), node.status == model::NodeStatus::running) << "11: node " << node.node;
        EXPECT_EQ(node.completed_at.has_value(), is_over(node.status)) << "10: node " << node.node;
        if (lease == held.end()) continue;
        EXPECT_EQ(lease->second, node.attempts) << "9: the token is the number of the newest attempt";
        held.erase(lease);
    }
    EXPECT_EQ(open, !over) << "20: a run goes on while a node does";
}

}  // namespace belfry::test
