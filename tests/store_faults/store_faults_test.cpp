// Every verb that writes, with every call to the database failing in turn, in every way that a call can fail. Whatever
// happens: all of it or none, and the answer tells which.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "store_faults.hpp"
#include "store_faults_world.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::store {
namespace {

using test::Call;
using test::CallFault;
using test::CallKind;
using test::FaultyDatabase;
using test::Strike;

constexpr std::size_t kForLong = 1'000;  // calls: longer than anybody looks

struct Case {
    std::string place;
    std::string verb;
    friend std::ostream& operator<<(std::ostream& out, const Case& tested) {
        return out << tested.place << "_" << tested.verb;
    }
};

std::vector<Case> all_cases() {
    std::vector<Case> all;
    for (const auto* place : {"sqlite", "postgres"}) {
        for (const auto& verb : names_of_verbs()) all.push_back({place, verb});
    }
    return all;
}

std::string text_of(const Strike& strike, const std::vector<Call>& calls) {
    auto text =
        "call " + std::to_string(strike.call) + " of " + std::to_string(calls.size()) + " " + name_of(strike.fault);
    const auto& call = calls[strike.call - 1];
    constexpr std::array kKinds{"begin of a write", "begin of a read", "statement", "commit"};
    text += " (" + std::string(kKinds[static_cast<std::size_t>(call.kind)]) +
            (call.name.empty() ? "" : " '" + call.name + "'") + ")";
    if (strike.away > 0)
        text += ", " + std::to_string(strike.skipped) + " calls later away for " + std::to_string(strike.away);
    return text;
}

class StoreFaults : public ::testing::TestWithParam<Case> {
protected:
    // Every way in which the verb may be struck, given what it asked for when nothing was wrong.
    static std::vector<Strike> strikes(const std::vector<Call>& calls) {
        std::vector<Strike> all;
        bool written = false;
        for (std::size_t number = 1; number <= calls.size(); ++number) {
            const auto kind = calls[number - 1].kind;
            all.push_back({number, CallFault::refused});
            if (kind != CallKind::statement) all.push_back({number, CallFault::refused, kForLong});
            if (kind == CallKind::statement) all.push_back({number, CallFault::lost});
            if (!written && kind != CallKind::begin_write) all.push_back({number, CallFault::contested});
            if (kind != CallKind::commit) continue;
            written = true;
            for (const auto fault : {CallFault::unknown_committed, CallFault::unknown_not_committed}) {
                all.push_back({number, fault});
                all.push_back({number, fault, kForLong});
                for (std::size_t skipped = 0; skipped < 4; ++skipped) all.push_back({number, fault, 1, skipped});
                all.push_back({number, fault, 2});
            }
        }
        return all;
    }

    void SetUp() override {
        expect_sound_tables(*world.near, {{id_of("history"), id_of("old")}});
        before = world.camera->take();
        verb = verb_named(GetParam().verb, *store_on(*world.near));
        ASSERT_EQ(before, world.camera->take()) << "preparing changed something";

        FaultyDatabase database(*world.far);
        expected = verb.call(*store_on(database));
        ASSERT_FALSE(expected.refused) << expected.text;
        calls = database.calls();
        after = world.camera->take();
        expect_sound_tables(*world.near, {{id_of("history"), id_of("old")}});
        everything = everything_in(*store_on(*world.near));
        world.camera->put_back();
        ASSERT_EQ(difference_of(before, world.camera->take()), "");
    }

    // What the answer says about the rows; nothing when it leaves that open.
    std::optional<bool> says_it_happened(const Answer& answer) const {
        if (answer.refused == ErrorCode::unknown) return std::nullopt;
        if (answer.refused) return false;
        if (answer.text == expected.text) return true;
        // An answer in parts, and one of them was refused that should not have been.
        EXPECT_GT(answer.refused_parts.size(), expected.refused_parts.size())
            << "another answer than without a fault: " << answer.text;
        return false;
    }

    void try_with(const Strike& strike) {
        SCOPED_TRACE(text_of(strike, calls));
        FaultyDatabase database(*world.far, strike);
        const auto store = store_on(database);
        const auto answer = verb.call(*store);
        EXPECT_TRUE(database.struck()) << "the calls differ from those without a fault";
        database.heal();
        SCOPED_TRACE("answered " + answer.text.substr(0, 200));

        auto found = world.camera->take();
        const bool happened = found == after;
        EXPECT_TRUE(happened || found == before) << "neither all nor nothing:" << difference_of(before, found);
        const auto said = before == after ? std::nullopt : says_it_happened(answer);
        EXPECT_EQ(said.value_or(happened), happened) << "the answer is not true";
        const bool unclear =
            strike.fault == CallFault::unknown_committed || strike.fault == CallFault::unknown_not_committed;
        if (!unclear && strike.away == 0 && calls[strike.call - 1].kind != CallKind::begin_read) {
            EXPECT_NE(answer.refused, ErrorCode::unknown) << "there was no doubt";
        }
        if (unclear && strike.away < kForLong) {
            EXPECT_NE(answer.refused, ErrorCode::unknown) << "it could have found out";
        }

        // As a caller would: again when it did not happen, and after a doubt only when it is not there.
        if (!happened) {
            const auto again = verb.call(*store);
            EXPECT_EQ(again.text, expected.text);
            found = world.camera->take();
        }
        EXPECT_EQ(difference_of(after, found), "");
        // Every list is read, which takes long on PostgreSQL and does not depend on the database.
        if (GetParam().place == "sqlite") {
            EXPECT_EQ(test::difference(everything_in(*store), everything), "")
                << "what the store remembers is not what is there";
        }
        world.camera->put_back();
    }

    World& world = World::again(GetParam().place);
    Verb verb;
    Picture before;
    Picture after;
    test::Snapshot everything;  // after
    Answer expected;
    std::vector<Call> calls;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreFaults, ::testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return tested.param.place + "_" + tested.param.verb; });

TEST_P(StoreFaults, LeaveAllOrNothingAndATrueAnswer) {
    // All of them; CASES= takes some, as far apart as that allows.
    const auto all = strikes(calls);
    const auto step = std::max<std::size_t>(1, all.size() / test::case_count(all.size()));
    for (auto i = static_cast<std::size_t>(test::Random().between(0, static_cast<std::int64_t>(step) - 1));
         i < all.size(); i += step) {
        try_with(all[i]);
        if (HasFailure()) return;  // one is enough, and says how to repeat it
    }
    // The place is closed and opened again, as by another program.
    const auto answer = verb.call(*open_store_on(*world.place));
    EXPECT_EQ(answer.text, expected.text);
    EXPECT_EQ(difference_of(after, world.camera->take()), "");
}

// --- a commit that is still under way

std::vector<Case> cases_on_postgres() {
    auto all = all_cases();
    std::erase_if(all, [](const Case& each) { return each.place != "postgres"; });
    return all;
}

// On SQLite there is nobody else who could be asked meanwhile: all writes of a program are one after the other.
class StoreFaultsPending : public StoreFaults {};
INSTANTIATE_TEST_SUITE_P(Every, StoreFaultsPending, ::testing::ValuesIn(cases_on_postgres()),
                         [](const auto& tested) { return tested.param.place + "_" + tested.param.verb; });

TEST_P(StoreFaultsPending, AreWaitedForBeforeTheAnswer) {
    const auto& url = dynamic_cast<const PostgresPlace&>(*world.place).url();
    const auto commit = std::ranges::find(calls, CallKind::commit, &Call::kind);
    FaultyDatabase database(*world.far,
                            {static_cast<std::size_t>(commit - calls.begin()) + 1, CallFault::unknown_pending});
    std::atomic<bool> answered = false;
    // Commits as soon as somebody waits for it, or too late.
    std::thread server([&] {
        const auto waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while (!answered && test::query_sql(url, waiting) == "0") std::this_thread::yield();
        if (!answered) database.settle();
    });
    const auto answer = verb.call(*store_on(database));
    answered = true;
    server.join();
    database.settle();
    EXPECT_EQ(difference_of(after, world.camera->take()), "");
    if (before == after) return;
    EXPECT_NE(says_it_happened(answer), std::optional(false)) << "it was about to happen: " << answer.text;
}

// --- somebody who is quicker than the look

struct Rivalry {
    std::string name;
    std::string verb;
    std::function<void(Store&)> rival;
};

std::vector<Rivalry> all_rivalries() {
    const auto ignore = [](const auto& result) { (void)result; };
    const auto next_tenant = [](Store& s) { return must(s.tenant("acme"), "read").version + 1; };
    const auto next_calendar = [](Store& s) { return must(s.calendar("default", "june-2nd"), "read").version + 1; };
    return {
        {"tick_against_a_later_tick", "tick", [=](Store& s) { ignore(test::tick(s, kNow + 1s)); }},
        {"tick_against_an_update", "tick_some", [=](Store& s) { ignore(test::pause(s, ref_to("cancels"), kNow)); }},
        {"trigger_against_a_trigger", "trigger",
         [=](Store& s) { ignore(test::trigger(s, ref_to("lapses"), kNow + 1ms)); }},
        {"update_against_an_update", "update",
         [=](Store& s) { ignore(test::update(s, ref_to("counts"), kNow, [](auto& n) { n.notes = "other"; })); }},
        {"rename_against_a_removal", "rename", [=](Store& s) { ignore(test::remove(s, ref_to("plain"), kNow)); }},
        {"approve_against_a_pause", "approve", [=](Store& s) { ignore(test::pause(s, ref_to("approves"), kNow)); }},
        {"approve_against_a_refusal", "approve",
         [=](Store& s) {
             ignore(test::judge(s, ref_to("approves"), run_of("approves", 1h), {false, "never"}, kNow));
         }},
        {"approve_against_a_cancel", "approve",
         [=](Store& s) { ignore(test::cancel(s, ref_to("approves"), run_of("approves", 1h), kNow)); }},
        {"approve_a_node_against_a_refusal", "approve_a_node",
         [=](Store& s) {
             ignore(test::judge(s, ref_to("gated"), run_of("gated", 1h), {false, "never", "b"}, kNow));
         }},
        {"approve_a_node_against_a_cancel", "approve_a_node",
         [=](Store& s) { ignore(test::cancel(s, ref_to("gated"), run_of("gated", 1h), kNow)); }},
        {"refuse_against_an_approval", "refuse",
         [=](Store& s) {
             ignore(test::judge(s, ref_to("approves"), run_of("approves", 1h), {true, "yes"}, kNow));
         }},
        {"claim_against_a_claim", "claim",
         [=](Store& s) {
             ignore(s.claim({.tenant = "default", .worker = "w3", .limit = 3, .now = kNow, .lease = 30s}));
         }},
        {"success_against_the_reaper", "complete_success",
         [=](Store& s) { ignore(test::complete(s, test::reaped(first_lease("plain", 1h), kNow + 9h), kNow + 9h)); }},
        {"success_against_a_cancel", "complete_success",
         [=](Store& s) { ignore(test::cancel(s, ref_to("plain"), run_of("plain", 1h), kNow + 1s)); }},
        {"release_against_the_reaper", "complete_that_releases",
         [=](Store& s) {
             ignore(test::complete(s, test::reaped(first_lease("buffers", 30min), kNow + 9h), kNow + 9h));
         }},
        {"retry_against_a_cancel", "complete_retry",
         [=](Store& s) { ignore(test::cancel(s, ref_to("retries"), run_of("retries", 1h), kNow)); }},
        {"retry_against_a_claim", "complete_retry",
         [=](Store& s) {
             ignore(s.claim({.tenant = "default", .queue = "work", .worker = "w3", .limit = 3, .now = kNow + 1h}));
         }},
        {"node_against_another_node", "complete_a_node",
         [=](Store& s) {
             ignore(test::complete(s, {node_lease("walks", "c"), test::succeeded()}, kNow));
         }},
        {"node_against_the_reaper", "complete_a_node",
         [=](Store& s) { ignore(test::complete(s, test::reaped(node_lease("walks", "b"), kNow + 9h), kNow + 9h)); }},
        {"node_against_a_cancel", "complete_a_node",
         [=](Store& s) { ignore(test::cancel(s, ref_to("walks"), run_of("walks", 1h), kNow)); }},
        {"handing_over_against_a_cancel", "complete_that_hands_over",
         [=](Store& s) { ignore(test::cancel(s, ref_to("hands over"), run_of("hands over", 1h), kNow)); }},
        {"handing_over_against_a_claim", "complete_that_hands_over",
         [=](Store& s) {
             ignore(s.claim({.tenant = "default",
                             .queue = "work",
                             .worker = "w3",
                             .limit = 3,
                             .now = kNow,
                             .assignee = "somebody else"}));
         }},
        {"first_node_against_a_claim", "claim_a_first_node",
         [=](Store& s) {
             ignore(s.claim({.tenant = "default", .queue = "first nodes", .worker = "w3", .now = kNow}));
         }},
        {"workflow_against_a_workflow", "put_workflow_again",
         [=](Store& s) { ignore(s.put_workflow(workflow_named("steps", 0, "other"))); }},
        {"new_workflow_against_a_workflow", "put_workflow",
         [=](Store& s) { ignore(s.put_workflow(workflow_named("another", 0, "other"))); }},
        {"tenant_against_a_tenant", "put_tenant_again",
         [=](Store& s) { ignore(s.put_tenant(tenant_acme(next_tenant(s), "of somebody else"))); }},
        {"calendar_against_a_calendar", "put_calendar_again",
         [=](Store& s) { ignore(s.put_calendar("default", calendar_of("june-2nd", "2026-06-09", next_calendar(s)))); }},
        {"webhook_against_a_webhook", "put_webhook_again",
         [=](Store& s) {
             const auto version = must(s.registry().webhook("default", "takes"), "read").version;
             ignore(s.registry().put_webhook("default", webhook_of("takes", false, version + 1)));
         }},
        {"step_against_a_pause", "step_backfill",
         [=](Store& s) {
             ignore(test::set_status(s, "default", id_of("backfill"), model::BackfillStatus::paused, kNow));
         }},
        {"pause_against_a_step", "pause_backfill",
         [=](Store& s) { ignore(test::step(s, "default", backfill_of("backfill", "fills"), kNow, 2)); }},
    };
}

struct RivalryCase {
    std::string place;
    Rivalry rivalry;
    friend std::ostream& operator<<(std::ostream& out, const RivalryCase& tested) {
        return out << tested.place << "_" << tested.rivalry.name;
    }
};

std::vector<RivalryCase> all_rivalry_cases() {
    std::vector<RivalryCase> all;
    for (const auto* place : {"sqlite", "postgres"}) {
        for (const auto& rivalry : all_rivalries()) all.push_back({place, rivalry});
    }
    return all;
}

class StoreFaultsRivals : public ::testing::TestWithParam<RivalryCase> {
protected:
    struct Outcome {
        Answer answer;
        Picture picture;
    };
    // The verb, whose first commit is struck; the rival acts before anybody looks. Then everything is put back.
    Outcome race(CallFault fault) {
        FaultyDatabase counting(*world.far);
        (void)verb.call(*store_on(counting));
        world.camera->put_back();
        const auto calls = counting.calls();
        const auto commit = std::ranges::find(calls, CallKind::commit, &Call::kind);
        FaultyDatabase database(*world.far, {static_cast<std::size_t>(commit - calls.begin()) + 1, fault});
        database.when_struck([this] { GetParam().rivalry.rival(*store_on(*world.near)); });
        Outcome outcome{verb.call(*store_on(database)), world.camera->take()};
        world.camera->put_back();
        return outcome;
    }

    World& world = World::again(GetParam().place);
    Verb verb = verb_named(GetParam().rivalry.verb, *store_on(*world.near));
};
INSTANTIATE_TEST_SUITE_P(Every, StoreFaultsRivals, ::testing::ValuesIn(all_rivalry_cases()),
                         [](const auto& tested) { return tested.param.place + "_" + tested.param.rivalry.name; });

TEST_P(StoreFaultsRivals, AreNotTakenForTheLostCommitThatDidNotHappen) {
    GetParam().rivalry.rival(*store_on(*world.near));
    const auto rival_alone = world.camera->take();
    world.camera->put_back();
    const auto [answer, picture] = race(CallFault::unknown_not_committed);
    EXPECT_EQ(difference_of(rival_alone, picture), "");
    EXPECT_TRUE(answer.refused) << "it answered: " << answer.text;
}

TEST_P(StoreFaultsRivals, DoNotHideTheLostCommitThatHappened) {
    ASSERT_FALSE(verb.call(*store_on(*world.near)).refused);
    GetParam().rivalry.rival(*store_on(*world.near));
    const auto both = world.camera->take();
    world.camera->put_back();
    const auto [answer, picture] = race(CallFault::unknown_committed);
    EXPECT_EQ(difference_of(both, picture), "");
    EXPECT_TRUE(!answer.refused || answer.refused == ErrorCode::unknown)
        << "it happened, and it answered: " << answer.text;
}

// --- one by one, when they do not go together

// A conflict breaks up a batch: each goes alone, and the database may be away before the last of them.
class StoreFaultsOneByOne : public ::testing::TestWithParam<std::string> {
protected:
    static constexpr std::size_t kCallsMax = 200;

    // Strikes the last statement of the batch; after so many further calls the database is away.
    Strike strike_after(const std::function<void(Store&)>& call, std::size_t further) {
        FaultyDatabase counting(*world.far);
        call(*store_on(counting));
        world.camera->put_back();
        return {counting.calls().size() - 1, CallFault::contested, kForLong, further};
    }

    std::map<std::string, std::int64_t> revisions() {
        std::map<std::string, std::int64_t> all;
        for (const auto& record : test::all_schedules(*store_on(*world.near), {.tenant = "default"})) {
            all[record.definition.id] = record.state.revision;
        }
        return all;
    }
    // The ids of those that changed.
    std::set<std::string> changed() {
        std::set<std::string> ids;
        for (const auto& [id, revision] : revisions()) {
            if (before.at(id) != revision) ids.insert(id);
        }
        return ids;
    }

    World& world = World::again(GetParam());
    const std::map<std::string, std::int64_t> before = revisions();
};
INSTANTIATE_TEST_SUITE_P(Every, StoreFaultsOneByOne, ::testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST_P(StoreFaultsOneByOne, ATickTellsWhatItDid) {
    const auto tick = [](Store& store) {
        return test::tick(store, kNow, {key_to("spreads"), key_to("cancels"), key_to("plain")});
    };
    std::size_t most = 0;
    for (std::size_t further = 0; further < kCallsMax && most < 3; ++further) {
        SCOPED_TRACE("away after " + std::to_string(further) + " calls");
        FaultyDatabase database(*world.far, strike_after([&](Store& s) { (void)tick(s); }, further));
        const auto outcome = tick(*store_on(database));
        std::set<std::string> told;
        if (outcome) {
            for (const auto& plan : outcome->plans) told.insert(plan.schedule_id);
        }
        const auto done = changed();
        EXPECT_EQ(done, told) << (outcome ? "" : outcome.error().message);
        expect_sound_tables(*world.near, {{id_of("history"), id_of("old")}});
        most = std::max(most, done.size());
        world.camera->put_back();
        if (HasFailure()) return;
    }
    EXPECT_EQ(most, 3U);
}

TEST_P(StoreFaultsOneByOne, AnApplyTellsWhatItDid) {
    const std::vector plans{planned_trigger(*store_on(*world.near), "lapses"),
                            planned_trigger(*store_on(*world.near), "cancels")};
    std::size_t most = 0;
    for (std::size_t further = 0; further < kCallsMax && most < 2; ++further) {
        SCOPED_TRACE("away after " + std::to_string(further) + " calls");
        FaultyDatabase database(*world.far, strike_after([&](Store& s) { (void)s.apply(plans); }, further));
        const auto answer = store_on(database)->apply(plans);
        std::set<std::string> told;
        for (std::size_t i = 0; answer && i < plans.size(); ++i) {
            if (!(*answer)[i]) told.insert(plans[i].schedule_id);
        }
        const auto done = changed();
        EXPECT_EQ(done, told) << (answer ? "" : answer.error().message);
        most = std::max(most, done.size());
        world.camera->put_back();
        if (HasFailure()) return;
    }
    EXPECT_EQ(most, 2U);
}

TEST_P(StoreFaultsOneByOne, ACompletionTellsWhatItDid) {
    const std::vector<AttemptReport> endings{{first_lease("plain", 1h), test::succeeded()},
                                             {first_lease("cancels", 1h), test::failed()}};
    const std::vector<std::string> ids{id_of("plain"), id_of("cancels")};
    std::size_t most = 0;
    for (std::size_t further = 0; further < kCallsMax && most < 2; ++further) {
        SCOPED_TRACE("away after " + std::to_string(further) + " calls");
        FaultyDatabase database(*world.far,
                                strike_after([&](Store& s) { (void)test::complete(s, endings, kNow); }, further));
        const auto answer = test::complete(*store_on(database), endings, kNow);
        std::set<std::string> told;
        for (std::size_t i = 0; answer && i < ids.size(); ++i) {
            if ((*answer)[i]) told.insert(ids[i]);
        }
        const auto done = changed();
        EXPECT_EQ(done, told) << (answer ? "" : answer.error().message);
        most = std::max(most, done.size());
        world.camera->put_back();
        if (HasFailure()) return;
    }
    EXPECT_EQ(most, 2U);
}

}  // namespace
}  // namespace belfry::store
