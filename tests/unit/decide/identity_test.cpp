// What names a run: its slot, and from that the idempotency key, the instance id and the run id.
#include <cctype>
#include <set>

#include "base/crypto/uuid.hpp"
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using model::RunCause;
using model::RunSlot;
using test::instant;
using test::Life;

constexpr const char* kId = "01J0000000000000000000SCHED";
const RunSlot kTick{RunCause::tick, instant("2026-06-01T10:00:00Z")};
const RunSlot kBackfill{RunCause::backfill, instant("2026-06-01T10:00:00Z")};
const RunSlot kTrigger{RunCause::trigger, instant("2026-06-01T10:00:00.123Z")};

TEST(Identity, TheKeyIsTheSha256OfTheScheduleAndTheEpochSecondsOfTheOccurrence) {
    // printf '%s' 01J0000000000000000000SCHED:1780308000 | sha256sum
    EXPECT_EQ(model::idempotency_key(kId, kTick), "d1d70531534f102843331f61f582834099f2abd88f69908488ab9fe84dc9eda9");
    EXPECT_EQ(model::idempotency_key("s1", {RunCause::tick, instant("2026-01-01T00:00:00Z")}),
              "4beb78d800ee475802d84ed3b2644cdc23df8195137e8c10b7b4935ff73368eb");
}

TEST(Identity, ABackfillAndATriggerHaveKeysOfTheirOwn) {
    EXPECT_EQ(model::idempotency_key(kId, kBackfill),
              "93a81df253ce535f5d1e535a3f53615d5002fa23d4aa7363b5abd156ac39ab8d");
    EXPECT_EQ(model::idempotency_key(kId, kTrigger),
              "ed3be931cb5e45ca3c135ef3a3554e0c54cb2c34ed62b561bbce130ef8618db3");
}

TEST(Identity, InstanceIdsSayTheScheduleTheCauseAndTheTime) {
    EXPECT_EQ(model::instance_id("nightly", kTick), "schedule:nightly:1780308000");
    EXPECT_EQ(model::instance_id("nightly", kBackfill), "schedule:nightly:backfill:1780308000");
    EXPECT_EQ(model::instance_id("nightly", kTrigger), "schedule:nightly:1780308000123");
}

TEST(Identity, ARunIdIsAUuidThatHoldsTheScheduleAndTheSlot) {
    std::set<std::string> ids;
    for (const auto& slot : {kTick, kBackfill, kTrigger}) {
        for (const char* schedule : {"a", "b", "018f3c1e-9a7b-7c3d-8e4f-0123456789ab"}) {
            const auto id = run_id(schedule, slot);
            EXPECT_EQ(id.size(), 36U);
            EXPECT_EQ(id[14], '8') << "version 8";
            EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos) << "the variant of RFC 9562";
            EXPECT_EQ(model::parse_run_id(id), (model::RunKey{model::key_of(schedule), model::slot_number(slot)}));
            EXPECT_EQ(model::slot_from_number(model::slot_number(slot)), slot);
            ids.insert(id);
        }
    }
    EXPECT_EQ(ids.size(), 9U);
}

TEST(Identity, RunIdsHoldEveryInstantThatCanBeWritten) {
    for (const auto at : {kInstantMin, instant("1969-12-31T23:59:59Z"), instant("1970-01-01T00:00:00Z"), kInstantMax}) {
        const model::RunSlot slot{model::RunCause::trigger, std::chrono::floor<std::chrono::milliseconds>(at)};
        const auto key = model::parse_run_id(run_id(kId, slot));
        ASSERT_TRUE(key);
        EXPECT_EQ(model::slot_from_number(key->slot), slot);
    }
}

TEST(Identity, OnlyTheCanonicalTextNamesARun) {
    const auto id = run_id(kId, kTick);
    EXPECT_FALSE(model::parse_run_id(""));
    EXPECT_FALSE(model::parse_run_id("d1d70531-534f-4028-8333-1f61f5828340"));
    EXPECT_FALSE(model::parse_run_id(id.substr(1)));
    auto upper = id;
    for (auto& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_FALSE(upper != id && model::parse_run_id(upper));
}

TEST(Identity, SchedulesMadeOneAfterTheOtherHaveKeysInThatOrder) {
    UuidMaker maker(&system_random);
    const auto now = instant("2026-06-01T10:00:00Z");
    std::int64_t last = 0;
    for (int i = 0; i < 1'000; ++i) {
        const auto id = maker.make(now + Micros{i});
        EXPECT_EQ(parse_uuid(id)->version(), 7);
        EXPECT_GT(model::key_of(id), last);
        last = model::key_of(id);
    }
}

TEST(Identity, DecidingTwiceNamesTheSameRun) {
    const auto facts = test::facts_at("2026-06-01T09:30:00Z");
    const auto first = plan_tick(facts, instant("2026-06-01T10:00:00Z"));
    const auto later = plan_tick(facts, instant("2026-06-01T10:00:45Z"));
    EXPECT_EQ(first.runs.front().id, later.runs.front().id);
}

TEST(Identity, ChangingADefinitionDoesNotChangeWhoItsRunsAre) {
    Life plain("2026-06-01T09:30:00Z");
    Life other("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.name = "renamed";
        schedule.spec.jitter.before = "PT10M";
        schedule.inputs_template = test::json("1");
    });
    plain.tick("2026-06-01T10:00:00Z");
    other.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(plain.plan.runs.front().id, other.plan.runs.front().id);
}

TEST(Identity, ARunKeepsItsIdFromTheBufferToItsDispatch) {
    Life life("2026-06-01T09:30:00Z",
              [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_one; });
    life.play("2026-06-01T11:00:00Z");
    const auto id = life.plan.runs.front().id;
    life.finish("2026-06-01T11:30:00Z");
    EXPECT_EQ(life.plan.releases.front().id, id);
}

}  // namespace
}  // namespace belfry::decide
