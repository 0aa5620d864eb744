#include "contract/databases/store_statements.hpp"

#include <algorithm>
#include <set>

namespace belfry::store {

namespace {

namespace store_statements {

struct Section {
    std::string title;
    std::vector<std::string> verbs;  // of store_faults_world.hpp
    std::vector<StoreCall> reads = {};
};

template <typename Function>
StoreCall read(std::string name, Function function) {
    return {std::move(name), [function](Store& store) -> std::string {
                const auto answer = function(store);
                return answer ? std::string() : answer.error().message;
            }};
}

std::vector<StoreCall> reads_of_one() {
    return {
        read("schedule by id", [](Store& s) { return s.schedule(ref_to("plain")); }),
        read("schedule by name", [](Store& s) { return s.schedule({.tenant = "default", .name = "plain"}); }),
        read("schedules by key",
             [](Store& s) {
                 const std::vector keys{key_to("plain"), key_to("ready")};
                 return s.schedules_by_keys("default", keys);
             }),
        read("definitions",
             [](Store& s) {
                 const std::vector<DefinitionRef> wanted{{id_of("plain"), 1}};
                 return s.definitions("default", wanted);
             }),
        read("run", [](Store& s) { return s.run("default", run_of("plain", 1h)); }),
        read("workflow run", [](Store& s) { return s.workflow_run("default", run_of("walks", 1h)); }),
        read("request", [](Store& s) { return s.request("default", "old"); }),
        read("backfill", [](Store& s) { return s.backfill("default", id_of("backfill")); }),
        read("key", [](Store& s) { return s.registry().key("k1"); }),
        read("webhook", [](Store& s) { return s.registry().webhook("default", "takes"); }),
        read("tenant", [](Store& s) { return s.tenant("acme"); }),
        read("calendar", [](Store& s) { return s.calendar("default", "spare"); }),
        read("assignee", [](Store& s) { return s.assignee("default", "bo"); }),
        read("assignment", [](Store& s) { return s.assignment("default", "spare"); }),
        read("budget", [](Store& s) { return s.budget("default", "bo", model::day_of(kNow)); }),
        read("workflow", [](Store& s) { return s.workflow("default", "steps", {}); }),
        read("version of a workflow", [](Store& s) { return s.workflow("default", "steps", 1); }),
    };
}

StoreCall list(std::string name, const std::function<void(ScheduleFilter&)>& edit) {
    return read(std::move(name), [edit](Store& s) {
        ScheduleFilter filter{.tenant = "default"};
        edit(filter);
        return s.schedules(filter, {.limit = 50});
    });
}

std::vector<StoreCall> lists_of_schedules() {
    const auto by_label = [](auto& f) { f.label = {"team", "a"}; };
    const auto by_status = [](auto& f) { f.status = model::ScheduleStatus::paused; };
    const auto by_target = [](auto& f) { f.target_kind = "steps"; };
    std::vector<StoreCall> calls{
        list("schedules", [](auto&) {}),
        list("schedules by prefix", [](auto& f) { f.name_prefix = "p"; }),
        list("schedules that hold a text", [](auto& f) { f.contains = "l"; }),
        list("schedules by next fire time",
             [](auto& f) {
                 f.next_from = kNine;
                 f.next_to = kNow + 24h;
             }),
        list("schedules, newest first", [](auto& f) { f.newest_first = true; }),
        list("schedules by queue", [](auto& f) { f.queue = "work"; }),
        read("subscribers", [](Store& s) { return s.subscribers("default", "event", {}); }),
        read("calendars", [](Store& s) { return s.calendars("default", {}); }),
        read("assignees", [](Store& s) { return s.assignees("default", {}); }),
        read("assignments", [](Store& s) { return s.assignments("default", {}); }),
        read("workflows", [](Store& s) { return s.workflows("default", {}); }),
        read("keys", [](Store& s) { return s.registry().keys(); }),
        read("webhooks", [](Store& s) { return s.registry().webhooks("default"); }),
    };
    for (const bool descending : {false, true}) {
        for (const auto& [name, filter] : std::vector<std::pair<std::string, std::function<void(ScheduleFilter&)>>>{
                 {"name", [](auto&) {}}, {"label", by_label}, {"status", by_status}, {"target", by_target}}) {
            calls.push_back(list("schedules by " + name, [filter = filter, descending](auto& f) {
                filter(f);
                f.descending = descending;
            }));
        }
    }
    return calls;
}

std::vector<StoreCall> reads_of_history() {
    std::vector<StoreCall> calls{
        read("events", [](Store& s) { return s.events(ref_to("plain"), 0, 100); }),
        read("events of a run", [](Store& s) { return s.run_events("default", run_of("walks", 1h), 0, 100); }),
        read("runs of a team", [](Store& s) { return s.runs({.tenant = "default", .team = "red"}, {}); }),
        read("dead letters", [](Store& s) { return s.dead_letters("default", {}); }),
        read("approvals", [](Store& s) { return s.approvals({.tenant = "default"}, {}); }),
        read("approvals of runs",
             [](Store& s) {
                 const std::vector runs{run_of("approves", 1h), run_of("gated", 1h)};
                 return s.approvals_of("default", runs);
             }),
        read("backfills", [](Store& s) { return s.backfills(ref_to("fills")); }),
    };
    for (const auto& schedule : {id_of("history"), std::string()}) {
        const RunFilter all{.tenant = "default", .schedule_id = schedule};
        calls.push_back(read("runs", [all](Store& s) { return s.runs(all, {}); }));
        for (const auto state : {RunState::awaiting_approval, RunState::queued, RunState::running, RunState::succeeded,
                                 RunState::failed, RunState::skipped, RunState::buffered}) {
            auto filter = all;
            filter.state = state;
            filter.from = kNine - 24h;
            filter.to = kNow;
            calls.push_back(read("runs in a state", [filter](Store& s) { return s.runs(filter, {}); }));
        }
    }
    return calls;
}

std::vector<StoreCall> reads_of_jobs() {
    return {
        read("upcoming", [](Store& s) { return s.upcoming(0, 1'000); }),
        read("peek next fires",
             [](Store& s) {
                 const std::vector keys{key_to("plain"), key_to("ready")};
                 return s.peek_next_fires(keys);
             }),
        read("expired leases", [](Store& s) { return s.expired(kNow, 100); }),
        read("overdue runs", [](Store& s) { return s.overdue(kNow, 100); }),
        read("overdue approvals", [](Store& s) { return s.overdue_approvals(kNow, 100); }),
        read("running backfills", [](Store& s) { return s.running_backfills(100); }),
    };
}

std::vector<StoreCall> reads_of_queues() {
    return {
        read("queues of receivers", [](Store& s) { return s.receiver_queues({.tenant = "default", .now = kNow}); }),
        read("waiting lines",
             [](Store& s) {
                 const std::vector<std::string> queues{"@http", "@command"};
                 return s.waiting_lines(queues, {});
             }),
    };
}

std::vector<StoreCall> reads_of_feed() {
    return {
        read("feed", [](Store& s) { return s.registry().feed("default", 0, 100); }),
        read("bounds of the feed", [](Store& s) { return s.registry().feed_bounds("default"); }),
        read("end of the feed", [](Store& s) { return s.registry().feed_end(); }),
        read("news of the feed", [](Store& s) { return s.registry().feed_news(0, 100); }),
        read("webhooks with work", [](Store& s) { return s.registry().webhooks_with_work(kNow, {}, 100); }),
        read("due deliveries", [](Store& s) { return s.registry().due_deliveries("default", "takes", kNow, 10); }),
        read("deliveries", [](Store& s) { return s.registry().deliveries("default", "takes", 0, 10); }),
    };
}

std::vector<StoreCall> reads_of_housekeeping() {
    return {
        read("prune archive", [](Store& s) { return s.prune_archive(kNow, 10); }),
        read("prune backfills", [](Store& s) { return s.prune_backfills(kNow, 10); }),
        read("prune workflows", [](Store& s) { return s.prune_workflows(0, 1, 10); }),
        read("prune keys", [](Store& s) { return s.registry().prune_keys(kNow, 10); }),
        read("settle usage", [](Store& s) { return s.settle_usage(kNow); }),
        read("usage", [](Store& s) { return s.usage("acme", kNow); }),
        read("put measured",
             [](Store& s) {
                 return s.put_measured({{1, 100}}, kNow);
             }),
    };
}

std::vector<StoreCall> reads_of_everything() {
    return {
        read("counts", [](Store& s) { return s.counts(kNow); }),
        read("tenants", [](Store& s) { return s.tenants(); }),
        read("measure",
             [](Store& s) -> Result<void> {
                 std::optional<MeasuredPlace> place = MeasuredPlace{};
                 while (place) {
                     auto measured = s.measure(*place, 100);
                     if (!measured) return measured.error();
                     place = measured->next;
                 }
                 return {};
             }),
    };
}

std::vector<std::string> verbs_that_start_with(const std::string& prefix) {
    auto names = names_of_verbs();
    std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
    return names;
}

std::vector<Section> sections() {
    return {
        {"A fire", {"tick_some", "tick_that_wakes"}},
        {"A claim", verbs_that_start_with("claim"), reads_of_queues()},
        {"A heartbeat", {"heartbeat"}},
        {"A completion", verbs_that_start_with("complete")},
        {"A creation", verbs_that_start_with("create_")},
        {"A trigger", verbs_that_start_with("trigger")},
        {"Reading one thing", {}, reads_of_one()},
        {"Lists", {}, lists_of_schedules()},
        {"Runs and history", {}, reads_of_history()},
        {"The timers, the reaper and the backfiller", {"reap", "reap_a_node", "step_backfill"}, reads_of_jobs()},
        {"The feed and webhooks",
         {"take_deliveries", "put_delivery", "put_deliveries", "prune_feed", "prune_deliveries"},
         reads_of_feed()},
        {"Retention",
         {"prune", "prune_some", "prune_some_to_the_limit", "purge", "remove_ended", "prune_letters", "prune_requests",
          "prune_budgets"},
         reads_of_housekeeping()},
        {"Whole tables, for occasional use", {"tick"}, reads_of_everything()},
        {"Everything else", names_of_verbs()},
    };
}

}  // namespace store_statements

}  // namespace

std::vector<StatementSection> statements_of_store(const std::string& kind) {
    std::set<const sql::Statement*> seen;
    std::vector<StatementSection> all;
    auto& world = World::again(kind);
    const auto record = [&](StatementSection& section, const std::function<void(Store&)>& call) {
        World::again(kind);
        test::FaultyDatabase recorder(*world.far);
        call(*store_on(recorder));
        for (const auto& sent : recorder.calls()) {
            if (sent.statement && seen.insert(sent.statement).second) section.statements.push_back(sent.statement);
        }
    };
    for (const auto& [title, verbs, reads] : store_statements::sections()) {
        StatementSection section{title, {}};
        for (const auto& name : verbs) {
            record(section, [&](Store& store) { (void)verb_named(name, *store_on(*world.near)).call(store); });
        }
        for (const auto& call : reads) {
            record(section, [&](Store& store) { EXPECT_EQ(call.ask(store), "") << call.name; });
        }
        all.push_back(std::move(section));
    }
    return all;
}

}  // namespace belfry::store
