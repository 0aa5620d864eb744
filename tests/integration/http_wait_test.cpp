// Answers that come later, on real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "base/concurrency/mutex.hpp"
#include "support/servers/http_client.hpp"
#include "support/servers/running_server.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::api {

namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::Running;
using test::within_a_minute;

// What the requests for /wait wait for: texts, each for one of them. Told to all who wait: who gets one is not looked
// at here.
class Post {
public:
    Response response(std::chrono::steady_clock::duration wait = 1h) {
        const auto alive = std::make_shared<Alive>(*this);
        Response response;
        response.deferred = std::make_shared<DeferredResponse>(
            DeferredResponse{.poll = [this, alive](const Request&, bool last) { return ask(last); },
                             .listen = [alive](std::function<void()> ring) { alive->listen(std::move(ring)); },
                             .until = std::chrono::steady_clock::now() + wait});
        return response;
    }
    void say(const std::string& text) {
        const MutexLock lock(mutex_);
        texts_.push_back(text);
        for (const auto* each : listening_) each->ring();
    }
    [[nodiscard]] int listening() {
        const MutexLock lock(mutex_);
        return static_cast<int>(listening_.size());
    }

    std::atomic<int> asked = 0;
    std::function<void()> before_answer = {};

private:
    struct Alive {
        explicit Alive(Post& of) : post(of) {}
        ~Alive() {
            const MutexLock lock(post.mutex_);
            std::erase(post.listening_, this);
        }
        void listen(std::function<void()> with) {
            const MutexLock lock(post.mutex_);
            ring = std::move(with);
            post.listening_.push_back(this);
            if (!post.texts_.empty()) ring();
        }
        Post& post;
        std::function<void()> ring;
    };

    std::optional<Response> ask(bool last) {
        ++asked;
        if (before_answer) before_answer();
        const MutexLock lock(mutex_);
        if (texts_.empty()) return last ? std::optional(Response{200, {}, "nothing"}) : std::nullopt;
        Response answer{200, {}, texts_.front()};
        texts_.erase(texts_.begin());
        return answer;
    }

    Mutex mutex_;
    std::vector<std::string> texts_ BELFRY_GUARDED_BY(mutex_);
    std::vector<const Alive*> listening_ BELFRY_GUARDED_BY(mutex_);
};

struct Waiting : Running {
    explicit Waiting(Post& post, HttpServerOptions options = {}, std::chrono::steady_clock::duration wait = 1h)
        : Running(
              [&post, wait](const Request& request) {
                  if (request.path == "/wait") return post.response(wait);
                  return test::echo(request);
              },
              std::move(options)) {}
};

constexpr const char* kWait = "POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";

std::string body_of(HttpClient& client) {
    return client.read_answer().value_or(Response{.status = 0, .body = "no answer"}).body;
}

}  // namespace

TEST(HttpWait, TheAnswerIsSentWhenThereIsOneAndTheConnectionGoesOn) {
    Post post;
    const Waiting running(post);
    HttpClient client(running.server.port());
    for (const auto* text : {"one", "two", "three"}) {
        client.send(kWait);
        ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
        post.say(text);
        const auto answer = client.read_answer();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->body, text);
        EXPECT_EQ(answer->header("Connection"), "");
        EXPECT_EQ(answer->header("X-Request-Id").size(), 36U);
        EXPECT_EQ(answer->header("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(post.listening(), 0);
        EXPECT_EQ(client.request("GET", "/between").body, "GET /between ");
    }
    EXPECT_EQ(post.asked, 3);
}

TEST(HttpWait, WhenTheTimeIsOverItAnswersWhatThereIs) {
    Post post;
    const Waiting running(post, {}, 30ms);
    HttpClient client(running.server.port());
    EXPECT_EQ(client.request("POST", "/wait").body, "nothing");
    EXPECT_EQ(client.request("POST", "/wait").body, "nothing");
    EXPECT_EQ(post.asked, 2);
}

TEST(HttpWait, HundredsHoldNoThreadAndOthersAreAnswered) {
    Post post;
    const Waiting running(post, {.threads = 4});
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < 500; ++i) {
        clients.push_back(std::make_unique<HttpClient>(running.server.port()));
        clients.back()->send(kWait);
    }
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 500; }));
    HttpClient other(running.server.port());
    for (int i = 0; i < 100; ++i) ASSERT_EQ(other.request("GET", "/x").body, "GET /x ");
    for (int i = 0; i < 500; ++i) post.say("here");
    for (auto& client : clients) ASSERT_EQ(body_of(*client), "here");
}

TEST(HttpWait, OneTooManyIsToldToComeBackAndAPlaceIsFreedByEveryAnswer) {
    Post post;
    const Waiting running(post, {.waits_max = 1});
    HttpClient first(running.server.port());
    first.send(kWait);
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    HttpClient second(running.server.port());
    const auto refused = second.request("POST", "/wait");
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("too_many_waiting"), std::string::npos);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    post.say("first");
    EXPECT_EQ(body_of(first), "first");
    second.send(kWait);
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    post.say("second");
    EXPECT_EQ(body_of(second), "second");
}

TEST(HttpWait, NothingIsLookedForInTheNameOfAClientThatHasLeft) {
    Post post;
    const Waiting running(post, {.threads = 1});
    {
        HttpClient client(running.server.port());
        client.send(kWait);
        ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    }
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 0; })) << "it is noticed that it left";
    post.say("for somebody else");
    EXPECT_EQ(post.asked, 0);
    HttpClient other(running.server.port());
    other.send(kWait);
    EXPECT_EQ(body_of(other), "for somebody else");
}

TEST(HttpWait, WhoeverLeavesWhileItsQuestionStandsInLineIsNotAskedFor) {
    Post post;
    std::latch blocked(1);
    std::latch go_on(1);
    const Running running(
        [&](const Request& request) {
            if (request.path == "/wait") return post.response();
            if (request.path == "/block") {
                blocked.count_down();
                go_on.wait();
            }
            return test::echo(request);
        },
        {.threads = 1});
    auto client = std::make_unique<HttpClient>(running.server.port());
    client->send(kWait);
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    HttpClient blocker(running.server.port());
    blocker.send("GET /block HTTP/1.1\r\nHost: localhost\r\n\r\n");
    blocked.wait();
    post.say("text");  // its question stands behind the request that blocks
    client.reset();
    HttpClient prober(running.server.port());
    // Probes have a thread of their own: when one that came later was answered, the end of the other connection was
    // read.
    EXPECT_EQ(prober.request("GET", "/healthz").status, 200);
    EXPECT_EQ(prober.request("GET", "/healthz").status, 200);
    go_on.count_down();
    EXPECT_EQ(body_of(blocker), "GET /block ");
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 0; }));
    EXPECT_EQ(post.asked, 0);
}

TEST(HttpWait, ADrainEndsItAtOnceWithWhatThereIs) {
    Post post;
    Waiting running(post);
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<HttpClient>(running.server.port()));
        clients.back()->send(kWait);
    }
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 20; }));
    running.server.stop(1h);  // and does not wait for it
    for (auto& client : clients) {
        const auto answer = client->read_answer();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->body, "nothing");
        EXPECT_EQ(answer->header("Connection"), "close");
    }
    EXPECT_EQ(post.listening(), 0);
}

TEST(HttpWait, AServerThatEndsWithoutADrainLetsGoOfAll) {
    Post post;
    {
        const Waiting running(post);
        HttpClient client(running.server.port());
        client.send(kWait);
        ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    }
    EXPECT_EQ(post.listening(), 0);
}

TEST(HttpWait, WhatWasSentAheadIsAnsweredAfterwardsInItsOrder) {
    Post post;
    const Waiting running(post);
    const std::string next = "POST /next HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde";
    HttpClient client(running.server.port());
    client.send(std::string(kWait) + next + "GET /more HTTP/1.1\r\n");  // with the first, and the third cut in two
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    client.send("Host: localhost\r\n\r\n" + std::string(kWait));
    post.say("first");
    EXPECT_EQ(body_of(client), "first");
    EXPECT_EQ(body_of(client), "POST /next abcde");
    EXPECT_EQ(body_of(client), "GET /more ");
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    post.say("second");
    EXPECT_EQ(body_of(client), "second");
    // A body that is larger than what is read ahead, in pieces, by a read that began during the wait.
    const std::string body(200'000, 'x');
    EXPECT_EQ(client.request("POST", "/large", body, {{"Content-Type", "text/plain"}}).body, "POST /large " + body);
}

TEST(HttpWait, MoreThanIsReadAheadWaitsInTheSocket) {
    Post post;
    const Waiting running(post);
    HttpClient client(running.server.port());
    const std::string body(30'000, 'y');
    std::string ahead = kWait;
    constexpr int kRequests = 10;
    for (int i = 0; i < kRequests; ++i)
        ahead += "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000\r\n\r\n" + body;
    client.send(ahead);
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    post.say("first");
    EXPECT_EQ(body_of(client), "first");
    for (int i = 0; i < kRequests; ++i) ASSERT_EQ(body_of(client), "POST /a " + body);
}

TEST(HttpWait, ItIsToldAboutOnceAndNotForTheTimeThatItWaited) {
    Post post;
    Mutex mutex;
    std::vector<std::string> told;
    std::optional<Micros> took;
    const Waiting running(
        post, {.on_answer = [&](const Request& request, const Response& response, Micros time) {
            const MutexLock lock(mutex);
            told.push_back(request.path + ' ' + response.body + ' ' + std::string(response.header("X-Request-Id")));
            took = time;
        }});
    HttpClient client(running.server.port());
    client.send("POST /wait HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Length: 0\r\n\r\n");
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    std::this_thread::sleep_for(2s);
    post.say("text");
    EXPECT_EQ(client.read_answer()->header("X-Request-Id"), "mine");
    const MutexLock lock(mutex);
    EXPECT_EQ(told, (std::vector<std::string>{"/wait text mine"}));
    EXPECT_LT(*took, Seconds{2});
}

TEST(HttpWait, WhatThrowsIsAnInternalErrorAndNothingElse) {
    Post post;
    post.before_answer = [] { throw std::runtime_error("oops"); };
    const Waiting running(post);
    HttpClient client(running.server.port());
    client.send(kWait);
    ASSERT_TRUE(within_a_minute([&] { return post.listening() == 1; }));
    post.say("text");
    EXPECT_EQ(client.read_answer().value_or(Response{}).status, 500);
    EXPECT_EQ(client.request("GET", "/x").body, "GET /x ");
}

}  // namespace belfry::api
