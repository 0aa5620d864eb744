#include "model/schedule/schedule_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/text/json_pointer.hpp"
#include "base/time/duration.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::model::schedule_json_test {
namespace {

using namespace std::chrono_literals;
using test::Random;

Json json(std::string_view text) { return parse_json(text, kStoredJsonLimits).value(); }
Instant instant(std::string_view text) { return parse_instant(text).value(); }

// Through text, as a database keeps it.
template <typename T>
Result<T> stored(const T& value);
template <>
Result<Schedule> stored(const Schedule& schedule) {
    return schedule_from_json(json(to_text(to_json(schedule))));
}
template <>
Result<spec::CalendarText> stored(const spec::CalendarText& calendar) {
    return calendar_from_json(json(to_text(to_json(calendar))));
}

template <typename T>
void expect_same_after_storage(const T& value) {
    const auto text = to_text(to_json(value));
    const auto read = stored(value);
    ASSERT_TRUE(read) << read.error().field << " " << read.error().message << "\n" << text;
    EXPECT_EQ(to_text(to_json(*read)), text);
    EXPECT_TRUE(*read == value) << text;
}

template <typename T>
Error error_in(const Result<T>& result) {
    return result ? Error{.message = "accepted"} : result.error();
}

// Every member differs from its default.
Schedule populated() {
    return {
        .id = "s-1",
        .tenant = "acme",
        .name = "nightly-invoices",
        .description = "Sends \"invoices\"",
        .notes = "line one\nline two é",
        .labels = {{"a/b~c", ""}, {"team", "billing"}},
        .memo = json(R"({"exact":2.9999999999999999999,"large":18446744073709551615,"real":0.1,"none":null})"),
        .search_attributes = json(R"({"tenant_id":"42"})"),
        .spec = {.cron = {"0 2 * * *", "@daily"},
                 .intervals = {{"PT6H", "PT5M"}, {"PT1H"}},
                 .at = {"2026-12-31T23:59:00Z"},
                 .timezone = "America/New_York",
                 .start_at = "2026-01-01T00:00:00Z",
                 .end_at = "",
                 .dst = {spec::GapRule::skip, spec::RepeatRule::both},
                 .jitter = {"PT1S", "PT5M"},
                 .events = {{"paid", json(R"({"/amount":{"gt":5}})")}, {"refunded"}}},
        .target = {.type = TargetType::task,
                   .kind = "sync",
                   .version = 3,
                   .input = json("[1e400]"),
                   .metadata = {{"k", "v"}},
                   .queue = "high",
                   .connection = "redis",
                   .priority = -5},
        .assignee = Assignee{"team", "t-1"},
        .overlap = {OverlapPolicy::buffer_all, 4},
        .missed = {MissedPolicy::fire_all, 90min + 1us, 7, true},
        .worker_lost = WorkerLostPolicy::fail,
        .retry = {3, 250ms, {FailureCategory::timeout, FailureCategory::rate_limit}, 60s},
        .failure = {FailureMode::fallback, "a-2"},
        .approval = {true, ApprovalMode::on_block, {"publish", "spend"}, 90'000ms},
        .max_runs = 10'000'000'000,
        .calendars = {"us-federal-holidays-2026", "ours"},
        .condition = json(R"({"/last_24h_stats/failed":{"lt":3}})"),
        .inputs_template = json("false"),
        .inputs_rotation = {json(R"({"audience":"tech"})"), json("null")},
        .signal = Signal{"https://kpi.internal/health", 750ms},
        .breaker_failures = 5,
        .breaker_retry_after = 90s,
        .assignment = "as-1",
        .created_by = "ada",
        .created_at = instant("2026-06-01T09:30:00.000001Z"),
        .updated_at = instant("2026-06-02T00:00:00Z"),
        .version = 12,
    };
}

// --- Writing --------------------------------------------------------------------------------------------------------

TEST(ScheduleJson, LeavesOutWhatIsAtItsDefault) {
    EXPECT_EQ(
        to_text(to_json(Schedule{.id = "s-1", .tenant = "default", .name = "report", .target = {.kind = "report"}})),
        R"({"id":"s-1","tenant":"default","name":"report","spec":{},"target":{"workflowKind":"report"}})");
    EXPECT_EQ(to_text(to_json(Schedule{.retry = {.max_retries = 2}, .signal = Signal{"u"}})),
              R"({"id":"","tenant":"","name":"","spec":{},"target":{"workflowKind":""},"retryPolicy":{"maxRetries":2},)"
              R"("signal":{"url":"u"}})");
}

TEST(ScheduleJson, HasTheNamesOfTheNativeApi) {
    EXPECT_EQ(
        to_text(to_json(populated())),
        R"({"id":"s-1","tenant":"acme","name":"nightly-invoices","description":"Sends \"invoices\"",)"
        R"("notes":"line one\nline two é","labels":{"a/b~c":"","team":"billing"},)"
        R"("memo":{"exact":2.9999999999999999999,"large":18446744073709551615,"real":0.1,"none":null},)"
        R"("searchAttributes":{"tenant_id":"42"},)"
        R"("spec":{"cron":["0 2 * * *","@daily"],"intervals":[{"every":"PT6H","offset":"PT5M"},{"every":"PT1H"}],)"
        R"("at":["2026-12-31T23:59:00Z"],"timezone":"America/New_York","startAt":"2026-01-01T00:00:00Z","endAt":"",)"
        R"("dst":{"gap":"skip","repeat":"both"},"jitter":{"before":"PT1S","after":"PT5M"},)"
        R"("events":[{"name":"paid","filter":{"/amount":{"gt":5}}},{"name":"refunded"}]},)"
        R"("target":{"type":"task","taskKind":"sync","version":3,"input":[1e+400],"metadata":{"k":"v"},"queue":"high",)"
        R"("connection":"redis","priority":-5},"assignee":{"type":"team","id":"t-1"},"overlapPolicy":"buffer_all",)"
        R"("maxConcurrency":4,)"
        R"("missedRunPolicy":"fire_all","maxBackfill":7,"missedGrace":"PT1H30M0.000001S","missedWhilePaused":true,)"
        R"("workerLostPolicy":"fail",)"
        R"("retryPolicy":{"maxRetries":3,"backoffMs":250,"retryOn":["timeout","rate_limit"],"timeoutMs":60000},)"
        R"("failurePolicy":{"mode":"fallback","fallbackAssigneeId":"a-2"},)"
        R"("approvalPolicy":{"requiresApproval":true,"mode":"on_block","gates":["publish","spend"],)"
        R"("expiresAfterMs":90000},"maxRuns":10000000000,)"
        R"("calendars":["us-federal-holidays-2026","ours"],"preDispatchCondition":{"/last_24h_stats/failed":{"lt":3}},)"
        R"("inputsTemplate":false,"inputsRotation":[{"audience":"tech"},null],)"
        R"("signal":{"url":"https://kpi.internal/health","timeoutMs":750},"breaker":{"maxConsecutiveFailures":5,)"
        R"("retryAfter":"PT1M30S"},"workflowAssignmentId":"as-1",)"
        R"("createdBy":"ada","createdAt":"2026-06-01T09:30:00.000001Z","updatedAt":"2026-06-02T00:00:00Z",)"
        R"("version":12})");
}

TEST(ScheduleJson, PartsForAuditEventsAreWhole) {
    EXPECT_EQ(to_text(to_json(spec::SpecText{.intervals = {{"PT1H"}}})),
              R"({"cron":[],"intervals":[{"every":"PT1H","offset":null}],"at":[],"timezone":"UTC","startAt":null,)"
              R"("endAt":null,"dst":{"gap":"shift","repeat":"auto"},"jitter":{"before":null,"after":null}})");
    EXPECT_EQ(to_text(to_json(Target{.type = TargetType::task, .kind = "k"})),
              R"({"type":"task","taskKind":"k","version":null,"input":null,"metadata":{},"queue":"default",)"
              R"("connection":null,"priority":0})");
}

// --- There and back -------------------------------------------------------------------------------------------------

TEST(ScheduleJson, ComesBackEqual) {
    expect_same_after_storage(Schedule{});
    expect_same_after_storage(populated());
}

TEST(ScheduleJson, TheEndsOfEveryRangeComeBack) {
    for (const bool least : {true, false}) {
        auto schedule = populated();
        schedule.target.version =
            least ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
        schedule.target.priority = least ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max();
        schedule.missed.grace = least ? Micros{0} : kDurationMax;
        schedule.retry.backoff = least ? 0ms : std::chrono::floor<std::chrono::milliseconds>(kDurationMax);
        schedule.created_at = least ? kInstantMin : kInstantMax;
        expect_same_after_storage(schedule);
    }
}

TEST(ScheduleJson, AFreeValueMayBeAsDeepAsARequest) {
    const auto deepest = json(std::string(kJsonDepthMax, '[') + std::string(kJsonDepthMax, ']'));
    expect_same_after_storage(
        Schedule{.target = {.input = deepest}, .condition = deepest, .inputs_rotation = {deepest}});
}

TEST(ScheduleJson, ReadsNullAsNothingAndAliasesByTheirMeaning) {
    const auto read = schedule_from_json(
        json(R"({"id":"s-1","tenant":"default","name":"report","spec":{"startAt":null,"jitter":{"before":null},)"
             R"("intervals":[{"every":"PT1H","offset":null}]},)"
             R"("target":{"type":"workflow","workflowKind":"report","version":null,"input":null,"connection":null},)"
             R"("assignee":null,"overlapPolicy":"serial",)"
             R"("maxConcurrency":null,"missedGrace":"PT60S","retryPolicy":{"timeoutMs":null},"maxRuns":null,)"
             R"("preDispatchCondition":null,)"
             R"("inputsTemplate":null,"signal":null,"breaker":null,"workflowAssignmentId":null,"version":1.0})"));
    ASSERT_TRUE(read) << read.error().field << " " << read.error().message;
    EXPECT_EQ(*read, (Schedule{.id = "s-1",
                               .tenant = "default",
                               .name = "report",
                               .spec = {.intervals = {{"PT1H"}}},
                               .target = {.kind = "report"}}));
}

std::string random_text(Random& random) {
    return random.pick({"", "x", "a b", "é😀", "\"\\/~1", "line\nbreak", "\x01\x1f\x7f", "null"});
}

Json random_json(Random& random, int depth) {
    switch (random.number(0, depth > 0 ? 8 : 6)) {
        case 0: return nullptr;
        case 1: return random.percent(50);
        case 2:
            return random.between(std::numeric_limits<std::int64_t>::min() / 2,
                                  std::numeric_limits<std::int64_t>::max() / 2);
        case 3: return std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(random.between(0, 1000));
        case 4: return static_cast<double>(random.between(-1'000'000, 1'000'000)) + 0.1;
        case 5:
            return json("-0.1" + std::to_string(random.between(1'000'000'000, 9'000'000'000)) + "00000000001e" +
                        std::to_string(random.number(-400, 400)));
        case 6: return Json(random_text(random));
        case 7: {
            boost::json::array array;
            for (int i = random.number(0, 3); i > 0; --i) array.push_back(random_json(random, depth - 1));
            return array;
        }
        default: {
            boost::json::object object;
            for (int i = random.number(0, 3); i > 0; --i) object[random_text(random)] = random_json(random, depth - 1);
            return object;
        }
    }
}

Json random_object(Random& random) {
    boost::json::object object;
    for (int i = random.number(0, 3); i > 0; --i) object[random_text(random)] = random_json(random, 2);
    return object;
}

std::vector<std::string> random_texts(Random& random) {
    std::vector<std::string> texts(static_cast<std::size_t>(random.number(0, 3)));
    for (auto& text : texts) text = random_text(random);
    return texts;
}

template <typename Enum>
Enum random_enum(Random& random, Enum last) {
    return static_cast<Enum>(random.number(0, static_cast<int>(last)));
}

Instant random_instant(Random& random) {
    return Instant{
        Micros{random.between(kInstantMin.time_since_epoch().count(), kInstantMax.time_since_epoch().count())}};
}

std::chrono::milliseconds random_millis(Random& random) {
    return std::chrono::milliseconds{random.between(0, 1'000'000)};
}

spec::SpecText random_spec(Random& random) {
    spec::SpecText spec;
    const auto some = [&random] { return random.percent(50); };
    if (some()) spec.cron = random_texts(random);
    for (int i = random.number(0, 2); i > 0; --i) spec.intervals.push_back({random_text(random), random_text(random)});
    if (some()) spec.at = random_texts(random);
    if (some()) spec.timezone = random_text(random);
    if (some()) spec.start_at = random_text(random);
    if (some()) spec.end_at = random_text(random);
    if (some()) spec.dst = {random_enum(random, spec::GapRule::skip), random_enum(random, spec::RepeatRule::both)};
    if (some()) spec.jitter = {random_text(random), random_text(random)};
    return spec;
}

Target random_target(Random& random) {
    Target target{.type = random_enum(random, TargetType::task), .kind = random_text(random)};
    const auto some = [&random] { return random.percent(50); };
    if (some()) target.version = random.between(-5, 5);
    if (some()) target.input = random_json(random, 3);
    if (some()) target.metadata[random_text(random)] = random_text(random);
    if (some()) target.queue = random_text(random);
    if (some()) target.connection = random_text(random);
    if (some()) target.priority = random.number(-3, 3);
    return target;
}

void draw_policies(Random& random, Schedule& schedule) {
    const auto some = [&random] { return random.percent(50); };
    schedule.overlap.policy = random_enum(random, OverlapPolicy::terminate_other);
    if (some()) schedule.overlap.max_concurrency = random.number(-1, 5);
    schedule.missed.policy = random_enum(random, MissedPolicy::spread);
    if (some()) schedule.missed.grace = Micros{random.between(0, kDurationMax.count())};
    schedule.worker_lost = random_enum(random, WorkerLostPolicy::fail);
    if (some()) schedule.missed.max_backfill = random.number(0, 200);
    if (some()) schedule.retry.max_retries = random.number(0, 5);
    if (some()) schedule.retry.backoff = random_millis(random);
    for (int i = random.number(0, 2); i > 0; --i)
        schedule.retry.retry_on.push_back(random_enum(random, FailureCategory::contract_violated));
    if (some()) schedule.retry.timeout = random_millis(random);
    if (some()) schedule.failure.mode = random_enum(random, FailureMode::fallback);
    if (some()) schedule.failure.fallback_assignee_id = random_text(random);
    schedule.approval.requires_approval = some();
    if (some()) schedule.approval.mode = random_enum(random, ApprovalMode::on_block);
    if (some()) schedule.approval.gates = random_texts(random);
    if (some()) schedule.approval.expires_after = std::chrono::milliseconds{60'000};
}

Schedule random_schedule(Random& random) {
    Schedule schedule{.id = random_text(random), .tenant = random_text(random), .name = random_text(random)};
    const auto some = [&random] { return random.percent(50); };
    if (some()) schedule.description = random_text(random);
    if (some()) schedule.notes = random_text(random);
    for (int i = random.number(0, 2); i > 0; --i) schedule.labels[random_text(random)] = random_text(random);
    if (some()) schedule.memo = random_object(random);
    if (some()) schedule.search_attributes = random_object(random);
    if (some()) schedule.spec = random_spec(random);
    if (some()) schedule.target = random_target(random);
    if (some()) schedule.assignee = Assignee{random_text(random), random_text(random)};
    draw_policies(random, schedule);
    if (some()) schedule.max_runs = random.between(-1, std::int64_t{1} << 40);
    if (some()) schedule.calendars = random_texts(random);
    if (some()) schedule.condition = random_json(random, 2);
    if (some()) schedule.inputs_template = random_json(random, 2);
    for (int i = random.number(0, 2); i > 0; --i) schedule.inputs_rotation.push_back(random_json(random, 2));
    if (some()) schedule.signal = Signal{random_text(random), random_millis(random)};
    if (some()) schedule.breaker_failures = random.number(0, 9);
    if (some()) schedule.assignment = "a-" + std::to_string(random.number(0, 9));
    if (some()) schedule.created_by = random_text(random);
    if (some()) schedule.created_at = random_instant(random);
    if (some()) schedule.updated_at = random_instant(random);
    if (some()) schedule.version = random.between(0, 3);
    return schedule;
}

TEST(ScheduleJson, AnyScheduleComesBackEqual) {
    Random random(41);
    for (std::size_t i = test::case_count(2000); i > 0 && !testing::Test::HasFailure(); --i)
        expect_same_after_storage(random_schedule(random));
}

// --- What is refused ------------------------------------------------------------------------------------------------

struct Row {
    std::string_view members;  // instead of, or besides, those of a small schedule
    std::string_view field;
    std::string_view message;
};

Json small_schedule_with(std::string_view members) {
    auto schedule = json(R"({"id":"s-1","tenant":"default","name":"report","spec":{"cron":["@daily"]},)"
                         R"("target":{"workflowKind":"report"}})");
    const auto others = json(members);
    for (const auto& [key, value] : others.get_object()) schedule.get_object()[key] = value;
    return schedule;
}

TEST(ScheduleFromJson, SaysWhichMemberIsWrongAndWhatItMustBe) {
    for (const auto& [members, field, message] : std::vector<Row>{
             // the type of a value
             {R"({"id":7})", "/id", "must be a text, not a number"},
             {R"({"name":null})", "/name", "must be a text, not null"},
             {R"({"labels":[]})", "/labels", "must be an object, not an array"},
             {R"({"labels":{"a/b":true}})", "/labels/a~1b", "must be a text, not true or false"},
             {R"({"memo":null})", "/memo", "must be an object, not null"},
             {R"({"memo":1e400})", "/memo", "must be an object, not a number"},
             {R"({"searchAttributes":"x"})", "/searchAttributes", "must be an object, not a text"},
             {R"({"spec":null})", "/spec", "must be an object, not null"},
             {R"({"spec":{"cron":"@daily"}})", "/spec/cron", "must be an array, not a text"},
             {R"({"spec":{"at":["2026-12-31T23:59:00Z",5]}})", "/spec/at/1", "must be a text, not a number"},
             {R"({"spec":{"intervals":[{"every":"PT1H"},{"every":"PT1H","offset":5}]}})", "/spec/intervals/1/offset",
              "must be a text, not a number"},
             {R"({"spec":{"dst":[]}})", "/spec/dst", "must be an object, not an array"},
             {R"({"approvalPolicy":{"requiresApproval":"yes"}})", "/approvalPolicy/requiresApproval",
              "must be true or false, not a text"},
             {R"({"approvalPolicy":{"gates":[{}]}})", "/approvalPolicy/gates/0", "must be a text, not an object"},
             {R"({"inputsRotation":{}})", "/inputsRotation", "must be an array, not an object"},
             {R"({"breaker":5})", "/breaker", "must be an object, not a number"},
             {R"({"createdAt":0})", "/createdAt", "must be a text, not a number"},
             // numbers
             {R"({"maxConcurrency":"4"})", "/maxConcurrency", "must be a number, not a text"},
             {R"({"maxConcurrency":1.5})", "/maxConcurrency", "must be a whole number from -2147483648 to 2147483647"},
             {R"({"maxBackfill":2147483648})", "/maxBackfill", "must be a whole number from -2147483648 to 2147483647"},
             {R"({"maxBackfill":1e400})", "/maxBackfill", "must be a whole number from -2147483648 to 2147483647"},
             {R"({"maxRuns":9223372036854775808})", "/maxRuns",
              "must be a whole number from -9223372036854775808 to 9223372036854775807"},
             {R"({"breaker":{"maxConsecutiveFailures":null}})", "/breaker/maxConsecutiveFailures",
              "must be a number, not null"},
             {R"({"retryPolicy":{"backoffMs":-1}})", "/retryPolicy/backoffMs",
              "must be a whole number from 0 to 3153600000000"},
             {R"({"signal":{"url":"u","timeoutMs":3153600000001}})", "/signal/timeoutMs",
              "must be a whole number from 0 to 3153600000000"},
             // names and times
             {R"({"overlapPolicy":"Serial"})", "/overlapPolicy",
              R"(overlap policy "Serial": use one of skip, buffer_one, buffer_all, allow_all, cancel_other, )"
              R"(terminate_other)"},
             {R"({"missedRunPolicy":""})", "/missedRunPolicy",
              R"(missed-run policy "": use one of skip, fire_once, fire_all, spread)"},
             {R"({"retryPolicy":{"retryOn":["timeout","luck"]}})", "/retryPolicy/retryOn/1",
              R"(category "luck": use one of timeout, provider_error, rate_limit, contract_violated)"},
             {R"({"failurePolicy":{"mode":"stop"}})", "/failurePolicy/mode",
              R"(failure mode "stop": use one of isolate, halt, fallback)"},
             {R"({"approvalPolicy":{"mode":"no"}})", "/approvalPolicy/mode",
              R"(approval mode "no": use one of every_node, sensitive_actions, on_block)"},
             {R"({"spec":{"dst":{"gap":"jump"}}})", "/spec/dst/gap", R"(dst gap "jump": use one of shift, skip)"},
             {R"({"target":{"type":"tusk","taskKind":"x"}})", "/target/type",
              R"(target type "tusk": use one of workflow, task)"},
             {R"({"missedGrace":"P1M"})", "/missedGrace",
              R"(duration "P1M": years and months have no fixed length; use weeks, days or hours, )"
              R"(or a cron expression)"},
             {R"({"updatedAt":"2026-06-01T00:00:00"})", "/updatedAt",
              R"(time "2026-06-01T00:00:00": the zone is missing or malformed; end with Z for UTC, )"
              R"(or with an offset such as +01:00)"},
             // members that there are not
             {R"({"lables":{}})", "/lables", R"(there is no member "lables"; did you mean "labels"?)"},
             {R"({"a/b":{}})", "/a~1b", R"(there is no member "a/b"; remove it)"},
             {R"({"spec":{"corn":[]}})", "/spec/corn", R"(there is no member "corn"; did you mean "cron"?)"},
             {R"({"target":{"type":"task","workflowKind":"x"}})", "/target/workflowKind",
              R"(there is no member "workflowKind"; remove it)"},
             {R"({"retryPolicy":{"colour":1}})", "/retryPolicy/colour", R"(there is no member "colour"; remove it)"},
             {R"({"breaker":{"maxConsecutiveFailures":1,"x":1}})", "/breaker/x",
              R"(there is no member "x"; remove it)"},
             // members that there must be
             {R"({"target":{}})", "/target/workflowKind", R"("workflowKind" is missing; add it)"},
             {R"({"target":{"type":"task"}})", "/target/taskKind", R"("taskKind" is missing; add it)"},
             {R"({"spec":{"intervals":[{}]}})", "/spec/intervals/0/every", R"("every" is missing; add it)"},
             {R"({"assignee":{"type":"team"}})", "/assignee/id", R"("id" is missing; add it)"},
             {R"({"signal":{}})", "/signal/url", R"("url" is missing; add it)"},
             {R"({"breaker":{}})", "/breaker/maxConsecutiveFailures", R"("maxConsecutiveFailures" is missing; add it)"},
         }) {
        const auto error = error_in(schedule_from_json(small_schedule_with(members)));
        EXPECT_EQ(error.field, field) << members;
        EXPECT_EQ(error.message, message) << members;
        EXPECT_EQ(error.code, ErrorCode::invalid_argument) << members;
    }
}

TEST(ScheduleFromJson, NeedsWhatHasNoDefault) {
    for (const std::string name : {"id", "tenant", "name", "spec", "target"}) {
        auto schedule = small_schedule_with("{}");
        schedule.get_object().erase(name);
        const auto error = error_in(schedule_from_json(schedule));
        EXPECT_EQ(error.field, "/" + name);
        EXPECT_EQ(error.message, "\"" + name + "\" is missing; add it");
    }
    EXPECT_EQ(error_in(schedule_from_json(json("{}"))).field, "/id");
    EXPECT_EQ(error_in(schedule_from_json(json(R"({"nmae":"report"})"))).message,
              "there is no member \"nmae\"; did you mean \"name\"?")
        << "a misspelt name is not called missing";
}

const std::vector<Json>& one_of_each_kind() {
    static const std::vector<Json> values{nullptr,
                                          true,
                                          -1,
                                          std::numeric_limits<std::uint64_t>::max(),
                                          0.5,
                                          std::nan(""),
                                          json("1e400"),
                                          Json("text"),
                                          json("[[]]"),
                                          json("{\"\":{}}")};
    return values;
}

TEST(ScheduleFromJson, RefusesWhatIsNoObject) {
    for (const auto& value : one_of_each_kind()) {
        const auto error = error_in(schedule_from_json(value));
        EXPECT_NE(error.message, "accepted") << to_text(value);
        EXPECT_EQ(error.field, kind_of(value) == JsonKind::object ? "/" : "") << to_text(value);
    }
    EXPECT_EQ(error_in(schedule_from_json(json("[]"))).message, "must be an object, not an array");
}

// The pointers to a value and to all that is inside it.
void collect_pointers(const Json& value, const std::string& path, std::vector<std::string>& out) {
    out.push_back(path);
    if (kind_of(value) == JsonKind::array) {
        std::size_t index = 0;
        for (const auto& element : value.get_array())
            collect_pointers(element, path + "/" + std::to_string(index++), out);
    } else if (kind_of(value) == JsonKind::object) {
        for (const auto& member : value.get_object())
            collect_pointers(member.value(), path + pointer_step(member.key()), out);
    }
}

// The value at `pointer`, to be replaced. JsonPointer only shows it.
Json& at(Json& root, const std::string& pointer) {
    return const_cast<Json&>(*JsonPointer::parse(pointer).value().find(root));
}

TEST(ScheduleFromJson, AWrongValueAnywhereIsTakenOrRefusedAtItsPlace) {
    const auto whole = to_json(populated());
    std::vector<std::string> pointers;
    collect_pointers(whole, "", pointers);
    for (const auto& pointer : pointers) {
        for (const auto& value : one_of_each_kind()) {
            auto changed = whole;
            at(changed, pointer) = value;
            const auto read = schedule_from_json(changed);
            const bool named_otherwise = pointer == "/target/type";  // the kind has another name then
            EXPECT_TRUE(read || named_otherwise || read.error().field.starts_with(pointer))
                << pointer << " " << read.error().field;
            if (read) expect_same_after_storage(*stored(*read));
        }
    }
}

// --- Calendars ------------------------------------------------------------------------------------------------------

TEST(CalendarJson, ComesBackEqual) {
    expect_same_after_storage(spec::CalendarText{});
    expect_same_after_storage(
        spec::CalendarText{"ours", spec::CalendarKind::only_dates, "Europe/Istanbul", {"2026-01-01", "no date"}, true});
    for (const auto& calendar : spec::built_in_calendars()) expect_same_after_storage(calendar);
}

TEST(CalendarJson, LeavesOutWhatIsAtItsDefault) {
    EXPECT_EQ(to_text(to_json(spec::CalendarText{.name = "none"})), R"({"name":"none"})");
    EXPECT_EQ(
        to_text(to_json(
            spec::CalendarText{"ours", spec::CalendarKind::only_dates, "Europe/Istanbul", {"2026-01-01"}, true})),
        R"({"name":"ours","kind":"only_dates","timezone":"Europe/Istanbul","dates":["2026-01-01"],"builtIn":true})");
}

TEST(CalendarFromJson, SaysWhichMemberIsWrongAndWhatItMustBe) {
    for (const auto& [text, field, message] : std::vector<Row>{
             {"[]", "", "must be an object, not an array"},
             {"{}", "/name", R"("name" is missing; add it)"},
             {R"({"name":"a","kind":"holidays"})", "/kind",
              R"(calendar kind "holidays": use one of skip_dates, only_dates)"},
             {R"({"name":"a","timezone":null})", "/timezone", "must be a text, not null"},
             {R"({"name":"a","dates":["2026-01-01",20260102]})", "/dates/1", "must be a text, not a number"},
             {R"({"name":"a","builtIn":0})", "/builtIn", "must be true or false, not a number"},
             {R"({"name":"a","date":[]})", "/date", R"(there is no member "date"; did you mean "dates"?)"},
         }) {
        const auto error = error_in(calendar_from_json(json(text)));
        EXPECT_EQ(error.field, field) << text;
        EXPECT_EQ(error.message, message) << text;
    }
}

TEST(ScheduleJson, TellsTheFirstFaultOnly) {
    const auto read = schedule_from_json(json(R"({"id":1,"tenant":2,"name":3,"colour":4})"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), (Error{.message = "must be a text, not a number", .field = "/id"}));
}

}  // namespace
}  // namespace belfry::model::schedule_json_test
