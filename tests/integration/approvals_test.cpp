// Approvals as people and programs meet them: who may decide, what is refused, and what stays on record.
#include <gtest/gtest.h>

#include "api/auth/authorize.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api {
namespace {

using namespace std::chrono_literals;
using test::at;
using test::json;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
constexpr const char* kRuns = "/api/tenants/default/runs/";

std::string unquoted(const std::string& text) { return text.size() >= 2 ? text.substr(1, text.size() - 2) : text; }

// Whoever the header names, with the role that is their name: `X-Who: worker`.
AccessDecision ask_header(const Request& request, const Route& route, const std::string& tenant) {
    const std::string who(request.header("X-Who"));
    const auto role = model::parse_role(who.empty() ? "admin" : who);
    AccessDecision decision{
        .principal = {.name = "key:" + who, .roles = {{"*", {role ? *role : model::Role::viewer}}}}};
    if (auto may = auth::authorize(decision.principal, tenant, *route.permission); !may) decision.refused = may.error();
    return decision;
}

class Approvals : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        ask("admin", "PUT", "/api/tenants/default/workflows/steps",
            R"({"nodes": [{"id": "a"}, {"id": "b", "dependsOn": ["a"], "action": "publish"}]})", 201);
    }

    Json ask(const std::string& who, const std::string& method, const std::string& path, const std::string& body = {},
             int status = 200) {
        const auto query = path.find('?');
        Request request{.method = method, .path = path.substr(0, query)};
        if (query != std::string::npos) request.query = path.substr(query + 1);
        request.headers = {{"X-Who", who}};
        if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
        request.body = body;
        const auto response = api.handler()(request);
        EXPECT_EQ(response.status, status) << who << " " << method << " " << path << "\n" << response.body;
        const auto answer = parse_json(response.body);
        return answer ? *answer : Json(nullptr);
    }

    // Its own times are far away. The id of a run that was triggered.
    std::string trigger(const std::string& name, const std::string& more) {
        ask("admin", "POST", kSchedules,
            R"({"name": ")" + name + R"(", "spec": {"cron": ["0 0 29 2 *"]}, )" + more + "}", 201);
        return unquoted(at(ask("operator", "POST", std::string(kSchedules) + "/" + name + "/trigger"), "/id"));
    }
    std::string trigger_task(const std::string& name) {
        return trigger(
            name, R"("target": {"type": "task", "taskKind": "mail"}, "approvalPolicy": {"requiresApproval": true})");
    }
    std::string trigger_gated(const std::string& name) {
        return trigger(name, R"("target": {"workflowKind": "steps"}, "approvalPolicy": {"gates": ["publish"]})");
    }
    Json claim() {
        return at_items(ask("worker", "POST", "/api/tenants/default/tasks/claim", R"({"worker": "w", "limit": 10})"));
    }
    static Json at_items(const Json& answer) { return answer.at("items"); }

    // Ends node a, so that b waits.
    std::string trigger_to_the_gate(const std::string& name) {
        const auto run = trigger_gated(name);
        const auto tasks = claim();
        EXPECT_EQ(tasks.as_array().size(), 1U);
        ask("worker", "POST", "/api/tenants/default/tasks/complete",
            R"({"items": [{"runId": ")" + run +
                R"(", "attempt": 1, "node": "a", "status": "succeeded", "result": 7}]})");
        return run;
    }

    // `{"principal":"key:worker","how":…}` of the attempts on record.
    std::vector<std::string> attempts(const std::string& name) {
        std::vector<std::string> found;
        const auto history =
            at_items(ask("viewer", "GET", std::string(kSchedules) + "/" + name + "/history?limit=500"));
        for (const auto& event : history.as_array()) {
            if (event.at("type") != "approval_bypass_attempt") continue;
            const auto& payload = event.at("payload");
            found.push_back(to_text(payload.at("principal")) + " " + to_text(payload.at("node")) + " " +
                            to_text(payload.at("how")));
        }
        return found;
    }

    static engine::EngineOptions quick() {
        engine::EngineOptions options;
        options.min_interval = 1s;
        return options;
    }

    test::ApiWorld world{GetParam(), quick()};
    Api api{world.engine, {.gate = ask_header}};
};
INSTANTIATE_TEST_SUITE_P(On, Approvals, ::testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST_P(Approvals, TheInboxShowsWhatWaitsAndADecisionEndsIt) {
    const auto first = trigger_task("one");
    const auto second = trigger_to_the_gate("two");
    const auto inbox = at_items(ask("approver", "GET", "/api/tenants/default/approvals"));
    ASSERT_EQ(inbox.as_array().size(), 2U);
    EXPECT_EQ(at(inbox, "/0/runId"), '"' + first + '"');
    EXPECT_EQ(at(inbox, "/0/node"), "null");
    EXPECT_EQ(at(inbox, "/0/why"), "\"run\"");
    EXPECT_EQ(at(inbox, "/0/scheduleName"), "\"one\"");
    EXPECT_EQ(at(inbox, "/1/runId"), '"' + second + '"');
    EXPECT_EQ(at(inbox, "/1/node"), "\"b\"");
    EXPECT_EQ(at(inbox, "/1/action"), "\"publish\"");
    EXPECT_EQ(at(inbox, "/1/why"), "\"gate\"");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + second), "/approvalStatus"), "\"pending\"");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + second + "/nodes"), "/nodes/1/status"), "\"awaiting_approval\"");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + second + "/nodes"), "/nodes/1/approvalStatus"), "\"pending\"");
    EXPECT_EQ(claim().as_array().size(), 0U);

    EXPECT_NE(at(ask("approver", "POST", kRuns + second + "/approve", {}, 409), "/detail")
                  .find("node b does: set `node` to it"),
              std::string::npos);
    EXPECT_EQ(at(ask("approver", "POST", kRuns + second + "/approve", R"({"node": "b", "comment": "ship it"})"),
                 "/approvalStatus"),
              "\"approved\"");
    EXPECT_EQ(at(ask("approver", "POST", kRuns + second + "/approve", R"({"node": "b"})"), "/approvalStatus"),
              "\"approved\"")
        << "again is fine";
    ask("approver", "POST", kRuns + second + "/reject", R"({"node": "b"})", 409);
    const auto tasks = claim();
    ASSERT_EQ(tasks.as_array().size(), 1U);
    EXPECT_EQ(at(tasks, "/0/node"), "\"b\"");
    EXPECT_EQ(at(ask("approver", "POST", kRuns + first + "/reject", R"({"reason": "too dear"})"), "/approvalStatus"),
              "\"rejected\"");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + first), "/error"), "\"refused by key:approver: too dear\"");
    EXPECT_EQ(at_items(ask("approver", "GET", "/api/tenants/default/approvals")).as_array().size(), 0U);
    const auto said = at_items(ask("viewer", "GET", kRuns + second + "/approvals"));
    EXPECT_EQ(at(said, "/0/decidedBy"), "\"key:approver\"");
    EXPECT_EQ(at(said, "/0/comment"), "\"ship it\"");
    EXPECT_EQ(at_items(ask("viewer", "GET", "/api/tenants/default/approvals?status=rejected")).as_array().size(), 1U);
    EXPECT_TRUE(attempts("one").empty() && attempts("two").empty());
}

TEST_P(Approvals, TheHistoryOfARunTellsWhoWasAskedAndWhatTheySaid) {
    const auto types = [this](const std::string& run) {
        std::string all;
        const auto events = at_items(ask("viewer", "GET", kRuns + run + "/events"));
        for (const auto& event : events.as_array()) {
            all += to_text(event.at("sequence")) + " " + std::string(event.at("type").as_string()) + "; ";
        }
        return all;
    };
    const auto task = trigger_task("one");
    EXPECT_EQ(types(task), "1 ScheduleTriggered; 2 approval.requested; ");
    ask("approver", "POST", kRuns + task + "/approve");
    claim();
    ask("worker", "POST", "/api/tenants/default/tasks/complete",
        R"({"items": [{"runId": ")" + task + R"(", "attempt": 1, "status": "succeeded"}]})");
    EXPECT_EQ(types(task),
              "1 ScheduleTriggered; 2 approval.requested; 3 approval.decided; 4 run.started; 5 run.succeeded; ");
    const auto walking = trigger_to_the_gate("two");
    ask("approver", "POST", kRuns + walking + "/reject", R"({"node": "b", "comment": "no"})");
    EXPECT_EQ(types(walking),
              "1 ScheduleTriggered; 2 run.started; 3 node.started; 4 node.succeeded; 5 approval.requested; 6 "
              "approval.decided; 7 node.failed; "
              "8 run.failed; ");
    const auto why = ask(
        "viewer", "GET",
        std::string(kSchedules) + "/one/why?at=" + unquoted(at(ask("viewer", "GET", kRuns + task), "/scheduledAt")));
    EXPECT_EQ(at(why, "/verdict"), "\"dispatched\"");
}

TEST_P(Approvals, WhoeverLacksTheRoleIsRefusedAndOnRecordOnce) {
    const auto run = trigger_task("one");
    for (const auto* const who : {"worker", "operator", "viewer", "worker"}) {
        ask(who, "POST", kRuns + run + "/approve", {}, 403);
        ask(who, "POST", kRuns + run + "/reject", {}, 403);
    }
    ask("worker", "POST", std::string(kRuns) + "0197f000-0000-8000-8000-000000000000/approve", {}, 403);
    EXPECT_EQ(attempts("one"), (std::vector<std::string>{R"("key:worker" null "decided_without_role")",
                                                         R"("key:operator" null "decided_without_role")",
                                                         R"("key:viewer" null "decided_without_role")"}));
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + run), "/status"), "\"awaiting_approval\"");
    EXPECT_EQ(claim().as_array().size(), 0U);
}

TEST_P(Approvals, NobodyEndsWhatWaits) {
    const auto task = trigger_task("one");
    ask("worker", "POST", kRuns + task + "/complete", R"({"status": "succeeded"})", 409);
    ask("worker", "POST", kRuns + task + "/complete", R"({"status": "failed", "attempt": 1})", 409);
    EXPECT_EQ(attempts("one"), (std::vector<std::string>{R"("key:worker" null "ended_while_waiting")"}));
    const auto run = trigger_to_the_gate("two");
    const auto ended =
        ask("worker", "POST", "/api/tenants/default/tasks/complete",
            R"({"items": [{"runId": ")" + run + R"(", "attempt": 1, "node": "b", "status": "succeeded"}]})");
    EXPECT_EQ(at(ended, "/items/0/ok"), "false");
    EXPECT_EQ(attempts("two"), (std::vector<std::string>{R"("key:worker" "b" "ended_while_waiting")"}));
    ask("worker", "POST", kRuns + run + "/complete", R"({"status": "succeeded"})", 409);
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + run + "/nodes"), "/nodes/1/status"), "\"awaiting_approval\"");
}

TEST_P(Approvals, AWorkerThatComesLateIsNoBypass) {
    const auto run = trigger("late", R"("target": {"workflowKind": "steps"}, "approvalPolicy": {"mode": "on_block"}, )"
                                     R"("retryPolicy": {"maxRetries": 0})");
    claim();
    const auto ending = R"({"items": [{"runId": ")" + run + R"(", "attempt": 1, "node": "a", "status": "failed"}]})";
    ask("worker", "POST", "/api/tenants/default/tasks/complete", ending);
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + run + "/nodes"), "/nodes/0/status"), "\"awaiting_approval\"");
    EXPECT_EQ(at(ask("worker", "POST", "/api/tenants/default/tasks/complete", ending), "/items/0/ok"), "false");
    EXPECT_TRUE(attempts("late").empty());
}

TEST_P(Approvals, NobodyAsksForARunThatNeedsNone) {
    const auto run = trigger_task("one");
    const auto refused =
        ask("operator", "POST", std::string(kSchedules) + "/one/trigger", R"({"approvalStatus": "not_required"})", 403);
    EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/approvalStatus\"");
    ask("operator", "POST", std::string(kSchedules) + "/one/backfill",
        R"({"from": "2024-01-01T00:00:00Z", "to": "2024-03-01T00:00:00Z", "approvalStatus": "approved"})", 403);
    EXPECT_EQ(attempts("one"), (std::vector<std::string>{R"("key:operator" null "asked_to_skip")"}));
    EXPECT_EQ(at_items(ask("viewer", "GET", std::string(kSchedules) + "/one/runs")).as_array().size(), 1U);
}

TEST_P(Approvals, AWeakerPolicyFreesNothingThatWaits) {
    const auto run = trigger_task("one");
    ask("admin", "PATCH", std::string(kSchedules) + "/one", R"({"approvalPolicy": {"requiresApproval": false}})");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + run), "/status"), "\"awaiting_approval\"");
    EXPECT_EQ(claim().as_array().size(), 0U);
    ask("approver", "POST", kRuns + run + "/approve");
    EXPECT_EQ(claim().as_array().size(), 1U);
}

TEST_P(Approvals, WhatNobodyApprovesInTimeIsRefused) {
    const auto task = trigger_task("one");
    const auto walking = trigger_to_the_gate("two");
    // As the reaper does it, a day later.
    const auto expire = [&](const std::string& run_id, const std::string& node) {
        const auto run = world.store->run("default", run_id).value();
        const auto then = world.store->now().value() + 25h;
        return world.store->change(
            {"default", run.schedule_id}, {.now = then, .run = run_id},
            [&](const decide::Facts& facts) { return decide::plan_approval_expiry(facts, node, then); });
    };
    ASSERT_TRUE(expire(task, ""));
    ASSERT_TRUE(expire(walking, "b"));
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + task), "/approvalStatus"), "\"expired\"");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + task), "/error"), "\"not approved within 24 h\"");
    EXPECT_EQ(at(ask("viewer", "GET", kRuns + walking), "/status"), "\"failed\"");
    ask("approver", "POST", kRuns + walking + "/approve", R"({"node": "b"})", 409);
}

}  // namespace
}  // namespace belfry::api
