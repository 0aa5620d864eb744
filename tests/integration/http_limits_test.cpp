// What one client can take from others: connections, memory for bodies, threads. And what it cannot.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <stdexcept>

#include "api/contract/router.hpp"
#include "api/http/http_server.hpp"
#include "support/servers/http_client.hpp"
#include "support/servers/running_server.hpp"

namespace belfry::api {

namespace {

using namespace std::chrono_literals;
using test::echo;
using test::HttpClient;
using test::Running;

constexpr const char* kOther = "127.0.0.2";  // another client's address

// Refuses what is under /closed, and counts what it is asked.
struct Checked {
    HeadVerdict check(const Request& request) {
        ++asked;
        if (request.path == "/closed")
            return {.refusal = problem_response(Problem{401, "unauthenticated", "who are you?", {}})};
        return {.admitted = std::make_shared<const Admitted>(Admitted{{.name = "user:a"}})};
    }
    Response answer(const Request& request) {
        ++answered;
        return {200,
                {},
                (request.admitted ? request.admitted->principal.name : "nobody") + " " +
                    std::to_string(request.body.size())};
    }
    HttpServerOptions options() {
        return {.check_head = [this](const Request& request) { return check(request); }};
    }
    Handler handler() {
        return [this](const Request& request) { return answer(request); };
    }
    std::atomic<int> asked = 0;
    std::atomic<int> answered = 0;
};

std::string head(const std::string& path, const std::string& rest) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + rest + "\r\n";
}

// Holds one handler until it is let go.
struct Held {
    Handler handler() {
        return [this](const Request& request) -> Response {
            ++handled;
            if (request.path == "/hold") {
                begun.count_down();
                go_on.wait();
            }
            return {200, {}, request.path};
        };
    }
    std::latch begun{1};
    std::latch go_on{1};
    std::atomic<int> handled = 0;
};

void hold(Held& held, HttpClient& client) {
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    held.begun.wait();
}

}  // namespace

TEST(HttpHeadCheck, ARefusedHeadIsAnsweredWithoutItsBody) {
    Checked checked;
    const Running running(checked.handler(), checked.options());
    for (const auto* notified : {"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n",
                                 "Content-Length: 1\r\n", "Content-Length: 1000000\r\nExpect: 100-continue\r\n"}) {
        HttpClient client(running.server.port());
        client.send(head("/closed", notified));
        const auto answer = client.read_answer();
        ASSERT_TRUE(answer) << notified;
        EXPECT_EQ(answer->status, 401) << notified;
        EXPECT_EQ(answer->header("Connection"), "close") << notified;
        EXPECT_FALSE(answer->header("X-Request-Id").empty());
        EXPECT_TRUE(client.is_closed_by_peer()) << notified;
    }
    EXPECT_EQ(checked.asked, 4);
    EXPECT_EQ(checked.answered, 0);
}

TEST(HttpHeadCheck, TheBodyOfAHeadThatPassedIsReadAndNothingIsCheckedAgain) {
    Checked checked;
    const Running running(checked.handler(), checked.options());
    HttpClient client(running.server.port());
    for (int i = 1; i <= 2; ++i) {
        client.send(head("/open", "Content-Length: 1000000\r\nExpect: 100-continue\r\n"));
        EXPECT_EQ(client.read_answer()->status, 100);
        EXPECT_EQ(checked.asked, i) << "before the body is asked for";
        client.send(std::string(1'000'000, 'x'));
        EXPECT_EQ(client.read_answer()->body, "user:a 1000000");
    }
    EXPECT_EQ(checked.asked, 2);
    EXPECT_EQ(checked.answered, 2);
}

TEST(HttpHeadCheck, ARequestThatComesAtOnceIsNotCheckedApart) {
    Checked checked;
    const Running running(checked.handler(), checked.options());
    HttpClient client(running.server.port());
    EXPECT_EQ(client.request("POST", "/open", "small").body, "nobody 5");
    EXPECT_EQ(client.request("GET", "/open").body, "nobody 0");
    client.send(head("/open", "Transfer-Encoding: chunked\r\n") + "5\r\nabcde\r\n0\r\n\r\n");
    EXPECT_EQ(client.read_answer()->body, "nobody 5");
    EXPECT_EQ(checked.asked, 0);
}

TEST(HttpHeadCheck, ACheckThatThrowsIsAnInternalError) {
    const Running running(echo,
                          {.check_head = [](const Request&) -> HeadVerdict { throw std::runtime_error("oops"); }});
    HttpClient client(running.server.port());
    client.send(head("/", "Content-Length: 1000\r\n"));
    EXPECT_EQ(client.read_answer()->status, 500);
}

TEST(HttpBodies, ShareTheirMemoryFairlyBetweenAddresses) {
    const Running running(echo, {.body_memory = 1'000'000});
    const auto notified = head("/", "Content-Length: 500000\r\nExpect: 100-continue\r\n");
    HttpClient first(running.server.port());
    first.send(notified);
    EXPECT_EQ(first.read_answer()->status, 100);

    HttpClient second(running.server.port());
    second.send(notified);
    const auto refused = second.read_answer();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_NE(refused->body.find("body_memory_full"), std::string::npos);
    EXPECT_EQ(refused->header("Retry-After"), "1");
    EXPECT_EQ(refused->header("Connection"), "close");

    HttpClient other(running.server.port(), kOther);
    other.send(notified);
    EXPECT_EQ(other.read_answer()->status, 100) << "what is left is for those who hold nothing";

    first.send(std::string(500'000, 'x'));
    EXPECT_EQ(first.read_answer()->status, 200);
    first.send(notified);
    EXPECT_EQ(first.read_answer()->status, 100) << "the memory is free again";
}

TEST(HttpBodies, ThatAreChunkedTakeMemoryAsTheyGrow) {
    const Running running(echo, {.body_memory = 100'000});
    HttpClient client(running.server.port());
    client.send(head("/", "Transfer-Encoding: chunked\r\n"));
    for (int i = 0; i < 20 && client.send("2710\r\n" + std::string(10'000, 'x') + "\r\n"); ++i) {
    }
    const auto answer = client.read_answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 503);
    EXPECT_EQ(HttpClient(running.server.port()).request("POST", "/", std::string(70'000, 'x')).status, 200)
        << "it was given back";
}

// A large answer of the tenant that the path names.
Response large(const Request& request) {
    return {.status = 200, .body = std::string(20'000'000, 'x'), .tenant = request.path};
}

TEST(HttpAnswers, ThatAreNotReadGiveWayToOthersTheOldestOfTheLargestTenantFirst) {
    const Running running(large, {.answer_memory = 70'000'000});
    const auto ask = [](HttpClient& client, const std::string& tenant) {
        client.send("GET " + tenant + " HTTP/1.1\r\nHost: x\r\n\r\n");
        client.receive();  // it is being written
    };
    HttpClient first(running.server.port());
    HttpClient second(running.server.port());
    HttpClient other(running.server.port());
    ask(other, "/c");
    ask(first, "/a");
    ask(second, "/a");

    HttpClient next(running.server.port());
    ask(next, "/b");
    EXPECT_FALSE(first.read_answer()) << "its tenant held most, and it is the oldest";
    EXPECT_TRUE(second.read_answer());
    EXPECT_TRUE(other.read_answer());
    EXPECT_TRUE(next.read_answer());
    EXPECT_EQ(next.request("GET", "/a").body.size(), 20'000'000U) << "what was read does not count";
}

TEST(HttpConnections, TheLongestIdleGivesWayToANewOne) {
    const Running running(echo, {.connections_max = 2, .connections_per_address = 2});
    HttpClient first(running.server.port());
    HttpClient second(running.server.port());
    EXPECT_EQ(second.request("GET", "/").status, 200);
    EXPECT_EQ(first.request("GET", "/").status, 200);
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/").status, 200);
    EXPECT_TRUE(second.is_closed_by_peer()) << "it was idle longer";
    EXPECT_EQ(first.request("GET", "/").status, 200);
}

TEST(HttpConnections, AHeadThatDripsInGivesWayToo) {
    const Running running(echo, {.connections_max = 1});
    HttpClient slow(running.server.port());
    slow.send("GET / HTTP/1.1\r\nA:");
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/").status, 200);
    EXPECT_TRUE(slow.is_closed_by_peer());
}

TEST(HttpConnections, AnAddressAtItsLimitClosesItsOwn) {
    const Running running(echo, {.connections_max = 10, .connections_per_address = 1});
    HttpClient other(running.server.port(), kOther);
    EXPECT_EQ(other.request("GET", "/").status, 200);
    HttpClient first(running.server.port());
    EXPECT_EQ(first.request("GET", "/").status, 200);
    HttpClient second(running.server.port());
    EXPECT_EQ(second.request("GET", "/").status, 200);
    EXPECT_TRUE(first.is_closed_by_peer());
    EXPECT_EQ(other.request("GET", "/").status, 200) << "though it was idle longer";
}

TEST(HttpConnections, WhenAllAreInUseOnlyProbesAreAnswered) {
    Held held;
    const Running running(held.handler(), {.connections_max = 1});
    HttpClient busy(running.server.port());
    hold(held, busy);
    HttpClient second(running.server.port());
    const auto refused = second.request("GET", "/");
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("too_many_connections"), std::string::npos);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    // More than the reserve holds, and all of them say nothing.
    std::vector<std::unique_ptr<HttpClient>> silent;
    for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<HttpClient>(running.server.port()));
    const auto probed = HttpClient(running.server.port()).request("GET", "/readyz");
    EXPECT_EQ(probed.status, 200);
    EXPECT_EQ(probed.header("Connection"), "close") << "the place is for the next probe";
    held.go_on.count_down();
    EXPECT_EQ(busy.read_answer()->status, 200);
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/").status, 200);
}

TEST(HttpQueue, ARequestWhoseClientHasLeftIsNotHandled) {
    Held held;
    const Running running(held.handler(), {.threads = 1, .stream_poll = 20ms});
    HttpClient busy(running.server.port());
    hold(held, busy);
    HttpClient leaver(running.server.port());
    leaver.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
    leaver.end_sending();
    EXPECT_TRUE(leaver.is_closed_by_peer()) << "the server has noticed";
    held.go_on.count_down();
    EXPECT_EQ(busy.read_answer()->status, 200);
    EXPECT_EQ(busy.request("GET", "/after").status, 200);
    EXPECT_EQ(held.handled, 2);
}

TEST(HttpQueue, AClientThatOnlyEndsItsSendingIsAnsweredByAServerThatIsNotBusy) {
    const Running running;
    HttpClient client(running.server.port());
    client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    client.end_sending();
    EXPECT_EQ(client.read_answer()->body, "GET /a ");
}

}  // namespace belfry::api
