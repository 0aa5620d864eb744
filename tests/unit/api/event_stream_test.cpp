#include "api/resources/events/event_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "api/handlers.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api::event_stream_test {

namespace {

using namespace std::chrono_literals;
using test::instant;

struct SetClock final : SteadyClock {
    [[nodiscard]] Micros now() const override { return time; }
    Micros time = 1h;
};

// A feed of one tenant that the test writes; nothing else is kept.
class Feed final : public store::Registry {
public:
    void add(std::int64_t position, const std::string& type, Instant at, const std::string& schedule = "s1") {
        items[position] = {
            .position = position, .type = type, .at = at, .schedule_id = schedule, .body = {{"position", position}}};
    }

    Result<void> follow(const std::string&, Instant until) override {
        if (broken) return away();
        followed.push_back(until);
        return {};
    }
    Result<std::vector<model::FeedItem>> feed(const std::string&, std::int64_t after, std::size_t limit) override {
        asked += 1;
        if (broken) return away();
        std::vector<model::FeedItem> found;
        for (auto item = items.upper_bound(after); item != items.end() && found.size() < limit; ++item)
            found.push_back(item->second);
        return found;
    }
    Result<std::pair<std::int64_t, std::int64_t>> feed_bounds(const std::string&) override {
        if (items.empty()) return std::pair<std::int64_t, std::int64_t>();
        return std::pair(items.rbegin()->first, items.begin()->first);
    }

    Result<void> add_key(const model::ApiKey&) override { return away(); }
    Result<model::ApiKey> key(const std::string&) override { return away(); }
    Result<std::vector<model::ApiKey>> keys() override { return away(); }
    Result<model::ApiKey> revoke_key(const std::string&, Instant) override { return away(); }
    Result<void> put_webhook(const std::string&, const model::Webhook&) override { return away(); }
    Result<void> remove_webhook(const std::string&, const std::string&) override { return away(); }
    Result<model::Webhook> webhook(const std::string&, const std::string&) override { return away(); }
    Result<std::vector<model::Webhook>> webhooks(const std::string&) override { return away(); }
    Result<store::WebhooksWithWork> webhooks_with_work(Instant, std::optional<std::int64_t>, std::size_t) override {
        return away();
    }
    Result<std::int64_t> feed_end() override { return away(); }
    Result<store::FeedNews> feed_news(std::int64_t, std::size_t) override { return away(); }
    Result<std::int64_t> prune_feed(Instant, std::size_t) override { return away(); }
    Result<store::FeedSizes> feed_sizes(std::int64_t, std::size_t) override { return away(); }
    Result<std::int64_t> prune_feed_to(std::int64_t, std::int64_t, std::size_t) override { return away(); }
    Result<std::int64_t> prune_keys(Instant, std::size_t) override { return away(); }
    Result<std::int64_t> take_deliveries(const std::string&, const std::string&, Instant, std::size_t) override {
        return away();
    }
    Result<std::vector<model::Delivery>> due_deliveries(const std::string&, const std::string&, Instant,
                                                        std::size_t) override {
        return away();
    }
    Result<void> put_deliveries(std::span<const store::OwnedDelivery>) override { return away(); }
    Result<void> put_delivery(const std::string&, const model::Delivery&) override { return away(); }
    Result<store::DeliveryPage> deliveries(const std::string&, const std::string&, std::int64_t, std::size_t) override {
        return away();
    }
    Result<std::int64_t> prune_deliveries(Instant, std::size_t) override { return away(); }

    static Error away() { return {ErrorCode::unavailable, "away"}; }

    std::map<std::int64_t, model::FeedItem> items;
    std::vector<Instant> followed;
    int asked = 0;
    bool broken = false;
};

class EventStreamTest : public ::testing::Test {
protected:
    EventStream stream(EventFilter filter = {}) {
        return {feed, [this]() -> Result<Instant> { return now; }, steady, "default", std::move(filter)};
    }
    void pass(Micros time) {
        steady.time += time;
        now += time;
    }

    Instant now = instant("2026-11-15T12:00:00Z");
    SetClock steady;
    Feed feed;
};

}  // namespace

TEST_F(EventStreamTest, ANewReaderGetsWhatHappensFromNowOn) {
    feed.add(7, "run.failed", now);
    auto events = stream();
    EXPECT_EQ(*events.begin({}), "retry: 2000\nid: 7\n\n");
    EXPECT_EQ(*events.next_chunk(), "");
    feed.add(9, "run.completed", now);
    pass(1s);
    EXPECT_EQ(
        *events.next_chunk(),
        "id: 9\nevent: run.completed\n"
        "data: {\"type\":\"run.completed\",\"timestamp\":\"2026-11-15T12:00:00Z\",\"data\":{\"position\":9}}\n\n");
    EXPECT_EQ(*events.next_chunk(), "") << "once";
}

TEST_F(EventStreamTest, AReaderWhoComesBackGetsWhatItMissed) {
    feed.add(7, "run.failed", now);
    feed.add(9, "run.completed", now);
    feed.add(12, "schedule.paused", now);
    auto events = stream();
    EXPECT_EQ(*events.begin(7), "retry: 2000\nid: 7\n\n");
    const auto text = *events.next_chunk();
    EXPECT_LT(text.find("id: 9\n"), text.find("id: 12\n"));
    EXPECT_EQ(text.find("id: 7\n"), std::string::npos);
}

TEST_F(EventStreamTest, AReaderWhoWasAwayTooLongIsToldToLoadAgain) {
    feed.add(7, "run.failed", now);
    feed.add(9, "run.completed", now);
    const auto begins = [&](std::int64_t after) { return *stream().begin(after); };
    EXPECT_NE(begins(6).find("event: reset"), std::string::npos) << "it is no longer kept";
    EXPECT_NE(begins(8).find("event: reset"), std::string::npos) << "not a position that anybody was told";
    EXPECT_NE(begins(10).find("event: reset"), std::string::npos) << "of another feed";
    EXPECT_EQ(begins(9).find("event: reset"), std::string::npos);
    EXPECT_NE(begins(6).find("id: 9\n"), std::string::npos) << "it goes on from here";
    // Nobody followed for as long as a stream keeps its feed going: what happened then may not have been written.
    pass(kFollowedFor);
    EXPECT_NE(begins(9).find("event: reset"), std::string::npos);
    feed.items.clear();
    EXPECT_NE(begins(9).find("event: reset"), std::string::npos);
}

TEST_F(EventStreamTest, ShowsOnlyWhatIsAskedFor) {
    auto runs = stream({.types = {"run.*", "schedule.created"}});
    auto one = stream({.schedule_id = "s2"});
    ASSERT_TRUE(runs.begin({}) && one.begin({}));
    feed.add(1, "run.failed", now);
    feed.add(2, "schedule.paused", now);
    feed.add(3, "schedule.created", now);
    feed.add(4, "runs.none", now, "s2");
    pass(1s);
    const auto text = *runs.next_chunk();
    EXPECT_NE(text.find("id: 1\n"), std::string::npos);
    EXPECT_EQ(text.find("id: 2\n"), std::string::npos);
    EXPECT_NE(text.find("id: 3\n"), std::string::npos);
    EXPECT_EQ(text.find("id: 4\n"), std::string::npos);
    EXPECT_EQ(one.next_chunk()->substr(0, 6), "id: 4\n");
    pass(kHeartbeatEvery);
    EXPECT_EQ(*runs.next_chunk(), ": \nid: 4\n\n") << "what was left out need not be looked at again";
    EXPECT_EQ(*one.next_chunk(), ": \n\n");
}

TEST_F(EventStreamTest, AQuietStreamSaysThatItIsAlive) {
    auto events = stream();
    ASSERT_TRUE(events.begin({}));
    pass(kHeartbeatEvery - 1ms);
    EXPECT_EQ(*events.next_chunk(), "");
    pass(1ms);
    EXPECT_EQ(*events.next_chunk(), ": \n\n");
    EXPECT_EQ(*events.next_chunk(), "");
    pass(kHeartbeatEvery);
    EXPECT_EQ(*events.next_chunk(), ": \n\n");
}

TEST_F(EventStreamTest, AReaderHasToComeAgainAndIsFollowedForThen) {
    auto events = stream();
    ASSERT_TRUE(events.begin({}));
    EXPECT_EQ(feed.followed, std::vector{now + kFollowedFor});
    pass(kStreamedFor - 1s);
    EXPECT_TRUE(events.next_chunk());
    EXPECT_EQ(feed.followed.size(), 1U);
    pass(1s);
    EXPECT_FALSE(events.next_chunk()) << "whoever reads on has to show who they are";
    auto again = stream();
    ASSERT_TRUE(again.begin({}));
    ASSERT_EQ(feed.followed.size(), 2U);
    EXPECT_EQ(feed.followed.back(), now + kFollowedFor);
}

TEST_F(EventStreamTest, TheStoreIsNotAskedMoreOftenThanNeeded) {
    auto events = stream();
    ASSERT_TRUE(events.begin({}));
    for (int i = 0; i < 10; ++i) {
        (void)events.next_chunk();
        pass(kFeedAskedEvery / 5);
    }
    EXPECT_EQ(feed.asked, 2);
    // A backlog is read without waiting.
    for (std::int64_t i = 1; i <= 450; ++i) feed.add(i, "run.failed", now);
    std::ptrdiff_t events_seen = 0;
    pass(kFeedAskedEvery);
    for (int i = 0; i < 3; ++i) {
        const auto text = *events.next_chunk();
        for (auto at = text.find("event: "); at != std::string::npos; at = text.find("event: ", at + 1))
            events_seen += 1;
    }
    EXPECT_EQ(events_seen, 450);
}

TEST_F(EventStreamTest, EndsWhenTheStoreFails) {
    auto events = stream();
    ASSERT_TRUE(events.begin({}));
    feed.broken = true;
    pass(1s);
    EXPECT_EQ(events.next_chunk(), std::nullopt) << "the reader comes back and is told why";
    EXPECT_FALSE(stream().begin({}));
}

TEST_F(EventStreamTest, TheRouteReadsWhereToGoOnFromAHeaderOrTheAddress) {
    test::ApiWorld world;
    feed.add(7, "run.failed", *world.store->now());
    feed.add(9, "run.completed", *world.store->now());
    Routes routes;
    add_event_routes(routes, world.engine.tenants(), world.engine.reader(), feed);
    const Router router(std::move(routes));
    const auto get = [&](const std::string& query, std::vector<Header> headers = {}) {
        return router.handle({.path = "/api/tenants/default/events", .query = query, .headers = std::move(headers)});
    };
    const auto first = get("");
    EXPECT_EQ(first.status, 200) << first.body;
    EXPECT_EQ(first.header("Content-Type"), "text/event-stream");
    EXPECT_EQ(first.body, "retry: 2000\nid: 9\n\n");
    const auto resumed = get("after=9&types=run.*", {{"Last-Event-ID", "7"}});
    ASSERT_TRUE(resumed.next_chunk);
    EXPECT_NE(resumed.next_chunk()->find("id: 9\n"), std::string::npos);
    EXPECT_EQ(get("after=7").body, "retry: 2000\nid: 7\n\n");
    EXPECT_EQ(get("types=run").status, 422);
    EXPECT_EQ(get("types=run.*,,x.y").status, 422);
    EXPECT_EQ(get("after=-1").status, 422);
    EXPECT_EQ(get("schedule=nothing").status, 404);
    EXPECT_EQ(get("", {{"Last-Event-ID", "x"}}).status, 422);
    EXPECT_EQ(router.handle({.path = "/api/tenants/nobody/events"}).status, 404);
}

}  // namespace belfry::api::event_stream_test
