#include "api/resources/schedules/schedule_dto.hpp"

#include <gtest/gtest.h>

#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/schedules/schedule_type.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

using test::at;
using test::json;

// Every member has a value that is not its default.
constexpr const char* kEveryMember = R"({
    "name": "nightly-invoices", "description": "what", "notes": "why", "labels": {"team": "billing"},
    "memo": {"a": [1, 2.5]}, "searchAttributes": {"tenant_id": "42"},
    "spec": {"cron": ["0 2 * * *", "0 4 * * *"], "intervals": [{"every": "PT6H", "offset": "PT5M"}],
        "at": ["2027-12-31T23:59:00Z"],
             "timezone": "America/New_York", "startAt": "2026-01-01T00:00:00Z", "endAt": "2030-01-01T00:00:00Z",
             "dst": {"gap": "skip", "repeat": "both"}, "jitter": {"before": "PT1S", "after": "PT5M"}},
    "target": {"type": "workflow", "workflowKind": "invoice-sync", "version": 3, "input": {"n": 1},
        "metadata": {"k": "v"},
               "queue": "high", "connection": "redis", "priority": 5},
    "assignee": {"type": "team", "id": "t1"},
    "overlapPolicy": "buffer_one", "maxConcurrency": 2, "missedRunPolicy": "fire_all", "maxBackfill": 7,
    "missedGrace": "PT2M",
    "workerLostPolicy": "fail",
    "retryPolicy": {"maxRetries": 3, "backoffMs": 2000, "retryOn": ["timeout"], "timeoutMs": 60000},
    "failurePolicy": {"mode": "fallback", "fallbackAssigneeId": "t2"},
    "approvalPolicy": {"requiresApproval": true, "mode": "on_block", "gates": ["publish"], "expiresAfterMs": 60000},
    "maxRuns": 9, "calendars": ["weekends-only"], "preDispatchCondition": {"/last_24h_stats/failed": {"lt": 3}},
    "inputsTemplate": {"x": 1}, "inputsRotation": [{"audience": "tech"}, {"audience": "business"}],
    "signal": {"url": "https://kpi.internal/health", "timeoutMs": 700}, "breaker": {"maxConsecutiveFailures": 5,
        "retryAfter": "PT10M"},
    "workflowAssignmentId": "as-1"})";

constexpr const char* kSmallest = R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})";

// As a route does it: the shape, then the rest.
Result<model::Schedule> read_new(const Json& body, const ScheduleLimits& limits = {}) {
    if (auto errors = check(body, *schedule_request_shape()); !errors.empty()) return combine_errors(std::move(errors));
    auto schedule = read_new_schedule(body, "default", limits);
    if (!schedule) return schedule;
    if (auto errors = check_schedule(*schedule, limits); !errors.empty()) return combine_errors(std::move(errors));
    return schedule;
}

store::ScheduleRecord record_of(const Json& body) {
    auto schedule = read_new(body);
    EXPECT_TRUE(schedule) << schedule.error().field << ": " << schedule.error().message;
    store::ScheduleRecord record{.definition = schedule ? *schedule : model::Schedule{}};
    record.definition.id = "018f3c1e-0000-7000-8000-000000000000";
    return record;
}

// The smallest body with one more member.
Json with(const std::string& member) {
    std::string text = kSmallest;
    return json(text.insert(1, member + ", "));
}

std::string refusal(const Json& body) {
    const auto schedule = read_new(body);
    return schedule ? "accepted" : schedule.error().field;
}

}  // namespace

TEST(ScheduleDto, WhatWasReadIsAnsweredMemberByMember) {
    const auto body = json(kEveryMember);
    const auto answer = to_json(record_of(body), test::zones(), Json(nullptr));
    for (const auto& member : body.get_object()) {
        ASSERT_TRUE(answer.contains(member.key())) << member.key();
        EXPECT_TRUE(same_json(answer.at(member.key()), member.value()))
            << member.key() << ": " << to_text(answer.at(member.key()));
    }
}

TEST(ScheduleDto, ADefinitionIsAnsweredWithEveryMemberInTheSameOrder) {
    auto definition = record_of(json(kSmallest)).definition;
    definition.breaker_failures = 5;
    EXPECT_EQ(
        to_text(to_json(definition, test::zones())),
        R"({"id":"018f3c1e-0000-7000-8000-000000000000","tenant":"default","name":"n","description":"","notes":"",)"
        R"("labels":{},"memo":{},"searchAttributes":{},"spec":{"cron":["0 9 * * *"],"intervals":[],"at":[],)"
        R"("timezone":"UTC","startAt":null,"endAt":null,"dst":{"gap":"shift","repeat":"auto"},)"
        R"("jitter":{"before":null,"after":null}},"scheduleType":{"type":"recurring","cron":"0 9 * * *",)"
        R"("endAt":null,"timezone":"UTC","description":"At 9:00 AM every day"},)"
        R"("target":{"type":"workflow","workflowKind":"w","version":null,"input":{},"metadata":{},)"
        R"("queue":"default","connection":null,"priority":0},"assignee":null,"overlapPolicy":"skip",)"
        R"("maxConcurrency":null,"missedRunPolicy":"skip","maxBackfill":100,"missedGrace":"auto",)"
        R"("missedWhilePaused":false,"workerLostPolicy":"redeliver","retryPolicy":{"maxRetries":0,"backoffMs":1000,)"
        R"("retryOn":[],"timeoutMs":null},"failurePolicy":{"mode":"isolate","fallbackAssigneeId":null},)"
        R"("approvalPolicy":{"requiresApproval":false,"mode":null,"gates":[],"expiresAfterMs":null},"maxRuns":null,)"
        R"("calendars":[],"preDispatchCondition":null,"inputsTemplate":null,"inputsRotation":[],"signal":null,)"
        R"("breaker":{"maxConsecutiveFailures":5,"retryAfter":null},"workflowAssignmentId":null,"createdBy":null,)"
        R"("createdAt":"1970-01-01T00:00:00Z","updatedAt":"1970-01-01T00:00:00Z","version":1})");
}

TEST(ScheduleDto, AnAnswerHasTheShapeThatTheDescriptionPromises) {
    for (const auto* text : {kEveryMember, kSmallest}) {
        auto record = record_of(json(text));
        record.definition.run_key_name = "nightly";
        const Json answer = to_json(record, test::zones(), Json(nullptr));
        for (const auto& error : check(answer, *schedule_shape(), Side::answer))
            ADD_FAILURE() << error.field << ": " << error.message;
        EXPECT_EQ(answer.get_object().size(), schedule_shape()->members.size());
        for (const auto& error : check(answer, *schedule_request_shape()))
            ADD_FAILURE() << error.field << ": " << error.message;
    }
}

TEST(ScheduleDto, AnAnswerCanBeSentBackAndMeansTheSame) {
    for (const auto* text : {kEveryMember, kSmallest}) {
        const auto record = record_of(json(text));
        const auto answer = to_json(record, test::zones(), Json(nullptr));
        auto again = read_changed_schedule(Json(answer), record.definition);
        ASSERT_TRUE(again) << again.error().field << ": " << again.error().message;
        EXPECT_EQ(*again, record.definition);
    }
}

TEST(ScheduleDto, AnAnswerHasEveryMemberWhateverWasGiven) {
    const auto small = to_json(record_of(json(kSmallest)), test::zones(), Json(nullptr));
    const auto whole = to_json(record_of(json(kEveryMember)), test::zones(), Json(nullptr));
    for (const auto& member : whole) EXPECT_TRUE(small.contains(member.key())) << member.key();
    for (const auto* name : {"id",
                             "status",
                             "enabled",
                             "scheduleType",
                             "unreadable",
                             "nextRunAt",
                             "nextRunAtLocal",
                             "nextOccurrence",
                             "lastRunAt",
                             "lastRunId",
                             "runCount",
                             "failuresCount",
                             "remainingActions",
                             "skippedTriggerCount",
                             "lastSkipReason",
                             "lastSkippedAt",
                             "lastDispatchStatus",
                             "lastErrorAt",
                             "lastErrorMessage",
                             "lastCompletedAt",
                             "lastResult",
                             "lastRotationIndex",
                             "bufferedCount",
                             "pausedAt",
                             "pauseReason",
                             "createdBy",
                             "createdAt",
                             "updatedAt",
                             "version"}) {
        EXPECT_TRUE(small.contains(name)) << name;
    }
}

TEST(ScheduleDto, TheStateIsAnsweredUnderItsPublicNames) {
    auto record = record_of(json(kEveryMember));
    const auto t = [](int minute) { return test::instant("2026-01-12T14:00:00Z") + std::chrono::minutes{minute}; };
    record.state = {.status = model::ScheduleStatus::active,
                    .next_occurrence = t(0),
                    .next_fire = t(1),
                    .runs = 11,
                    .skips = 12,
                    .failures = 13,
                    .in_flight = 14,
                    .buffered = 15,
                    .remaining_actions = 16,
                    .rotation_index = 5,
                    .last_fired_at = t(2),
                    .last_skipped_at = t(3),
                    .last_completed_at = t(4),
                    .last_error_at = t(5),
                    .last_skip_reason = "calendar",
                    .last_error = "boom",
                    .last_run_id = "r1"};
    const Json answer = to_json(record, test::zones(), Json("fine"));
    const std::pair<const char*, const char*> rows[] = {
        {"/enabled", "true"},
        {"/status", "\"active\""},
        {"/nextRunAt", "\"2026-01-12T14:01:00Z\""},
        {"/nextRunAtLocal", "\"2026-01-12T09:01:00\""},
        {"/nextOccurrence", "\"2026-01-12T14:00:00Z\""},
        {"/lastRunAt", "\"2026-01-12T14:02:00Z\""},
        {"/lastRunId", "\"r1\""},
        {"/runCount", "11"},
        {"/skippedTriggerCount", "12"},
        {"/failuresCount", "13"},
        {"/inFlightCount", "14"},
        {"/bufferedCount", "15"},
        {"/remainingActions", "16"},
        {"/lastRotationIndex", "0"},  // the fifth of two entries in turn
        {"/lastSkipReason", "\"calendar\""},
        {"/lastSkippedAt", "\"2026-01-12T14:03:00Z\""},
        {"/lastDispatchStatus", "\"skipped\""},
        {"/lastCompletedAt", "\"2026-01-12T14:04:00Z\""},
        {"/lastErrorAt", "\"2026-01-12T14:05:00Z\""},
        {"/lastErrorMessage", "\"boom\""},
        {"/lastResult", "\"fine\""},
        {"/pausedAt", "null"},
    };
    for (const auto& [pointer, expected] : rows) EXPECT_EQ(at(answer, pointer), expected) << pointer;
}

TEST(ScheduleDto, OneThatCannotBeReadSaysWhy) {
    auto record = record_of(json(kSmallest));
    EXPECT_EQ(at(Json(to_json(record, test::zones(), {})), "/unreadable"), "null");
    record.definition.spec.timezone = "Europe/Atlantis";
    EXPECT_NE(at(Json(to_json(record, test::zones(), {})), "/unreadable").find("Europe/Atlantis"), std::string::npos)
        << "its zone is gone";
    // Nothing of it but whose it is.
    store::ScheduleRecord damaged{.unreadable = "no JSON"};
    damaged.definition.id = "01890000-0000-7000-8000-000000000001";
    damaged.definition.tenant = "default";
    damaged.definition.name = "n";
    damaged.definition.target.kind = "w";
    const Json answer = to_json(damaged, test::zones(), {});
    EXPECT_EQ(at(answer, "/unreadable"), "\"no JSON\"");
    EXPECT_EQ(at(answer, "/name"), "\"n\"");
    const auto errors = check(answer, *schedule_shape(), Side::answer);
    EXPECT_TRUE(errors.empty()) << errors.front().message;
}

TEST(ScheduleDto, APausedScheduleHasNoNextRun) {
    auto record = record_of(json(kSmallest));
    record.state.status = model::ScheduleStatus::paused;
    record.state.next_fire = record.state.next_occurrence = test::instant("2026-01-12T14:00:00Z");
    record.state.pause_reason = "holiday";
    const Json answer = to_json(record, test::zones(), {});
    EXPECT_EQ(at(answer, "/nextRunAt"), "null");
    EXPECT_EQ(at(answer, "/nextRunAtLocal"), "null");
    EXPECT_EQ(at(answer, "/nextOccurrence"), "null");
    EXPECT_EQ(at(answer, "/enabled"), "false");
    EXPECT_EQ(at(answer, "/pauseReason"), "\"holiday\"");
    EXPECT_EQ(at(answer, "/lastResult"), "absent") << "lists do not look it up";
}

TEST(ScheduleDto, AnAssigneeMakesApprovalRequiredAndAllowsOneRetry) {
    const auto supervised = record_of(with(R"("assignee": {"type": "agent", "id": "a"})")).definition;
    EXPECT_TRUE(supervised.approval.requires_approval);
    EXPECT_EQ(supervised.retry.max_retries, 1);
    const auto trusted =
        record_of(with(R"("assignee": {"type": "agent", "id": "a"}, "approvalPolicy": {"requiresApproval": false},
                                           "retryPolicy": {"maxRetries": 0})"))
            .definition;
    EXPECT_FALSE(trusted.approval.requires_approval);
    EXPECT_EQ(trusted.retry.max_retries, 0);
    EXPECT_EQ(record_of(json(kSmallest)).definition.retry.max_retries, 0);
}

TEST(ScheduleDto, NullMeansTheDefault) {
    const auto schedule =
        record_of(with(R"("description": null, "labels": null, "overlapPolicy": null, "retryPolicy": null)"))
            .definition;
    EXPECT_EQ(schedule, record_of(json(kSmallest)).definition);
}

TEST(ScheduleDto, WhatTheServerOwnsIsIgnored) {
    const auto schedule =
        record_of(with(R"("id": 5, "tenant": "other", "createdAt": "x", "runCount": -1, "version": 99)")).definition;
    EXPECT_EQ(schedule, record_of(json(kSmallest)).definition);
}

TEST(ScheduleDto, RefusalsNameTheMember) {
    struct Row {
        std::string member;
        std::string pointer;
    };
    const Row rows[] = {
        {R"("lables": {})", "/lables"},
        {R"("labels": {"a": 1})", "/labels/a"},
        {R"("labels": {"": "x"})", "/labels/"},
        {R"("maxConcurrency": 0)", "/maxConcurrency"},
        {R"("maxConcurrency": 1.5)", "/maxConcurrency"},
        {R"("maxBackfill": 0)", "/maxBackfill"},
        {R"("maxBackfill": 10001)", "/maxBackfill"},
        {R"("maxRuns": 0)", "/maxRuns"},
        {R"("missedGrace": "soon")", "/missedGrace"},
        {R"("workerLostPolicy": "ignore")", "/workerLostPolicy"},
        {R"("overlapPolicy": "maybe")", "/overlapPolicy"},
        {R"("retryPolicy": {"maxRetries": -1})", "/retryPolicy/maxRetries"},
        {R"("retryPolicy": {"retryOn": ["luck"]})", "/retryPolicy/retryOn/0"},
        {R"("retryPolicy": {"timeoutMs": -1})", "/retryPolicy/timeoutMs"},
        {R"("failurePolicy": {"mode": "fallback"})", "/failurePolicy/fallbackAssigneeId"},
        {R"("approvalPolicy": {"mode": "never"})", "/approvalPolicy/mode"},
        {R"("approvalPolicy": {"expiresAfterMs": 59999})", "/approvalPolicy/expiresAfterMs"},
        {R"("approvalPolicy": {"expiresAfterMs": 7776000001})", "/approvalPolicy/expiresAfterMs"},
        {R"("assignee": {"type": "robot", "id": "a"})", "/assignee/type"},
        {R"("assignee": {"type": "team"})", "/assignee/id"},
        {R"("breaker": {"maxConsecutiveFailures": 0})", "/breaker/maxConsecutiveFailures"},
        {R"("breaker": {})", "/breaker/maxConsecutiveFailures"},
        {R"("signal": {"url": "file:///etc/passwd"})", "/signal/url"},
        {R"("memo": [])", "/memo"},
        {R"("scheduleType": {"type": "hourly"})", "/scheduleType/type"},
        {R"("scheduleType": {"cron": "0 9 * * *"})", "/scheduleType/type"},
        {R"("scheduleType": {"type": "once"})", "/scheduleType/runAt"},
        {R"("scheduleType": {"type": "recurring"})", "/scheduleType/cron"},
        {R"("scheduleType": {"type": "once", "runAt": "x", "cron": "y"})", "/scheduleType/cron"},
        {R"("scheduleType": {"type": "recurring", "cron": "0 10 * * *"})", "/scheduleType"},
    };
    for (const auto& row : rows) EXPECT_EQ(refusal(with(row.member)), row.pointer) << row.member;
}

TEST(ScheduleDto, WhatIsMissingIsNamed) {
    EXPECT_EQ(refusal(json("{}")), "/name");
    EXPECT_EQ(refusal(json(R"({"name": "n", "target": {"workflowKind": "w"}})")), "/spec");
    EXPECT_EQ(refusal(json(R"({"name": "n", "spec": {}})")), "/target");
    EXPECT_EQ(refusal(json(R"({"name": "n", "spec": {}, "target": {"type": "task"}})")), "/target/taskKind");
}

TEST(ScheduleDto, NamesHaveOneTo255CharactersAndNoControlCharacters) {
    const auto named = [](const std::string& name) {
        return refusal(
            json(R"({"name": ")" + name + R"(", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})"));
    };
    std::string umlauts;
    for (int i = 0; i < 255; ++i) umlauts += "ü";
    EXPECT_EQ(named(umlauts), "accepted") << "characters are counted, not bytes";
    EXPECT_EQ(named(umlauts + "x"), "/name");
    EXPECT_EQ(named(""), "/name");
    EXPECT_EQ(named("a\\nb"), "/name");
    EXPECT_EQ(named("a\\u0000b"), "/name");
    EXPECT_EQ(named("a/b c?"), "accepted");
}

TEST(ScheduleDto, AReplacementKeepsTheNameAndTheZoneWhenItDoesNotSayThem) {
    const auto stored = record_of(json(kEveryMember)).definition;
    const auto changed =
        read_changed_schedule(json(R"({"spec": {"cron": ["0 5 * * *"]}, "target": {"workflowKind": "w"}})"), stored);
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->name, "nightly-invoices");
    EXPECT_EQ(changed->spec.timezone, "America/New_York");
    EXPECT_EQ(changed->overlap, model::OverlapRules{}) << "everything else has its default again";
}

TEST(ScheduleDto, OfTwoTimingsTheOneThatChangedCounts) {
    const auto stored = record_of(json(kSmallest)).definition;
    const std::string target = R"("target": {"workflowKind": "w"}, )";
    const auto cron_of = [&](const std::string& timings) {
        const auto changed = read_changed_schedule(json("{" + target + timings + "}"), stored);
        return changed ? changed->spec.cron.front() : "refused";
    };
    EXPECT_EQ(
        cron_of(R"("spec": {"cron": ["0 9 * * *"]}, "scheduleType": {"type": "recurring", "cron": "0 10 * * *"})"),
        "0 10 * * *");
    EXPECT_EQ(
        cron_of(R"("spec": {"cron": ["0 11 * * *"]}, "scheduleType": {"type": "recurring", "cron": "0 9 * * *"})"),
        "0 11 * * *");
    EXPECT_EQ(
        cron_of(R"("spec": {"cron": ["0 11 * * *"]}, "scheduleType": {"type": "recurring", "cron": "0 10 * * *"})"),
        "refused");
}

TEST(ScheduleDto, StatusAndEnabledAskForTheSame) {
    using model::ScheduleStatus;
    const auto wanted = [](const char* body, ScheduleStatus present) {
        return wanted_status(json(body), present).value();
    };
    EXPECT_EQ(wanted(R"({"enabled": true})", ScheduleStatus::active), std::nullopt);
    EXPECT_EQ(wanted("{}", ScheduleStatus::paused), std::nullopt);
    EXPECT_EQ(wanted(R"({"enabled": false})", ScheduleStatus::active), ScheduleStatus::paused);
    EXPECT_EQ(wanted(R"({"enabled": false, "status": "completed"})", ScheduleStatus::completed), std::nullopt)
        << "an answer sent back";
    EXPECT_EQ(wanted_status(json(R"({"status": "active"})"), ScheduleStatus::completed).error().field, "/status");
    EXPECT_EQ(wanted(R"({"status": "active", "spec": {}})", ScheduleStatus::completed), ScheduleStatus::active)
        << "new times make it active";
}

TEST(ScheduleType, TheShortFormStandsForASpecAndIsShownBesideIt) {
    const auto spec = spec_from_type(
        json(R"({"type": "recurring", "cron": "0 9 * * 1-5", "timezone": "America/New_York", "endAt": null})"));
    ASSERT_TRUE(spec);
    EXPECT_EQ(to_text(type_from_spec(*spec, test::zones())),
              R"({"type":"recurring","cron":"0 9 * * 1-5","endAt":null,"timezone":"America/New_York",)"
              R"("description":"Every weekday at 9:00 AM"})");
    const auto once = spec_from_type(json(R"({"type": "once", "runAt": "2026-12-31T23:59:00Z"})"));
    ASSERT_TRUE(once);
    EXPECT_EQ(once->at, std::vector<std::string>{"2026-12-31T23:59:00Z"});
    EXPECT_EQ(at(type_from_spec(*once, test::zones()), "/runAt"), "\"2026-12-31T23:59:00Z\"");
}

TEST(ScheduleType, ASpecThatIsMoreThanTheShortFormCanSayHasNone) {
    EXPECT_EQ(to_text(type_from_spec({.cron = {"0 9 * * *", "0 10 * * *"}}, test::zones())), "null");
    EXPECT_EQ(to_text(type_from_spec({.intervals = {{"PT6H"}}}, test::zones())), "null");
}

TEST(ScheduleType, ErrorsPointIntoTheFormThatWasWritten) {
    EXPECT_EQ(in_short_form({ErrorCode::invalid_argument, "", "/spec/cron/0"}).field, "/scheduleType/cron");
    EXPECT_EQ(in_short_form({ErrorCode::invalid_argument, "", "/name"}).field, "/name");
}

TEST(ScheduleDefaults, ApplyWhereTheDefinitionIsSilent) {
    const model::ScheduleDefaults defaults{model::OverlapPolicy::buffer_all, model::MissedPolicy::fire_all,
                                           std::chrono::milliseconds{1500}};
    const auto silent =
        read_new_schedule(*parse_json(R"({"name":"a","spec":{"cron":["@daily"]},"target":{"workflowKind":"w"}})"),
                          "default", {.defaults = defaults});
    ASSERT_TRUE(silent) << silent.error().message;
    EXPECT_EQ(silent->overlap.policy, model::OverlapPolicy::buffer_all);
    EXPECT_EQ(silent->missed.policy, model::MissedPolicy::fire_all);
    EXPECT_EQ(silent->spec.jitter, (spec::JitterText{"PT1.5S", "PT1.5S"}));
    const auto explicit_one =
        read_new_schedule(*parse_json(R"({"name":"a","spec":{"cron":["@daily"],"jitter":{"after":"PT1M"}},
        "target":{"workflowKind":"w"},"overlapPolicy":"skip","missedRunPolicy":"fire_once"})"),
                          "default", {.defaults = defaults});
    ASSERT_TRUE(explicit_one) << explicit_one.error().message;
    EXPECT_EQ(explicit_one->overlap.policy, model::OverlapPolicy::skip);
    EXPECT_EQ(explicit_one->missed.policy, model::MissedPolicy::fire_once);
    EXPECT_EQ(explicit_one->spec.jitter, (spec::JitterText{"", "PT1M"}));
}

}  // namespace belfry::api
