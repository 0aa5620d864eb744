#include "base/net/curl_http_client.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <latch>
#include <sstream>

#include "support/servers/http_receiver.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry {
namespace {

using test::http_answer;
using test::HttpReceiver;
using test::Received;

const std::vector<Network> kLoopback = parse_networks("127.0.0.0/8").value();

HttpReceiver::Answer always(std::string bytes) {
    return [bytes = std::move(bytes)](const Received&) { return bytes; };
}

constexpr auto kNotCallable =
    "the address cannot be called: it is not public or does not resolve; an operator can permit networks with "
    "outgoing_allow";

HttpCall call(const std::string& url) { return {.url = parse_url(url).value()}; }

TEST(CurlHttpClient, SendsARequestAndReadsItsAnswer) {
    HttpReceiver receiver(always(http_answer(201, "made", "X-Thing:  two words \r\n")));
    CurlHttpClient client({.permitted = kLoopback});
    auto post = call(receiver.url("/a/../b?c=%20"));
    post.method = "POST";
    post.headers = {{"X-Team", "billing"}, {"X-Empty", ""}};
    post.own_headers = {{"Content-Type", "application/json"}, {"webhook-id", "msg_1"}};
    post.body = "{}";
    const auto answer = client.send(post).value();
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, "made");
    EXPECT_EQ(answer.header("x-thing"), "two words");
    EXPECT_FALSE(answer.cut);
    const auto received = receiver.received().at(0);
    EXPECT_EQ(received.method, "POST");
    EXPECT_EQ(received.target, "/a/../b?c=%20");
    EXPECT_EQ(received.header("host"), "127.0.0.1:" + std::to_string(receiver.port()));
    EXPECT_EQ(received.header("x-team"), "billing");
    EXPECT_EQ(received.count("x-empty"), 1U);
    EXPECT_EQ(received.header("content-type"), "application/json");
    EXPECT_EQ(received.header("webhook-id"), "msg_1");
    EXPECT_EQ(received.header("content-length"), "2");
    EXPECT_EQ(received.count("expect"), 0U);
    EXPECT_EQ(received.body, "{}");
}

TEST(CurlHttpClient, KnowsTheOtherMethods) {
    HttpReceiver receiver(
        [](const Received& request) { return http_answer(200, request.method == "HEAD" ? "" : request.method); });
    CurlHttpClient client({.permitted = kLoopback});
    for (const auto* method : {"GET", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
        auto any = call(receiver.url());
        any.method = method;
        EXPECT_EQ(client.send(any).value().body, method);
    }
    auto head = call(receiver.url());
    head.method = "HEAD";
    EXPECT_EQ(client.send(head).value().status, 200);
}

TEST(CurlHttpClient, JudgesTheAddressThatItConnectsToWhateverTheUrlSays) {
    HttpReceiver receiver(always(http_answer(200)));
    CurlHttpClient client;
    const auto port = std::to_string(receiver.port());
    for (const auto& host : {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "0.0.0.0",
                             "169.254.169.254", "10.0.0.1"}) {
        const auto answer = client.send(call("http://" + std::string(host) + ":" + port + "/"));
        ASSERT_FALSE(answer) << host;
        EXPECT_EQ(answer.error().code,
                  std::string_view(host) == "localhost" ? ErrorCode::unavailable : ErrorCode::forbidden)
            << host;
        EXPECT_EQ(answer.error().message, kNotCallable) << host;
    }
    EXPECT_EQ(receiver.connections(), 0) << "nobody was even connected to";
}

TEST(CurlHttpClient, TellsTenantsTheSameOfANameThatIsPrivateAndOfOneThatIsNotKnown) {
    std::ostringstream lines;
    const Log log(lines, LogLevel::info, LogFormat::text);
    CurlHttpClient client({.log = &log});
    const auto inside = client.send(call("http://localhost:9/"));
    const auto unknown = client.send(call("http://never-was.invalid:9/"));
    EXPECT_EQ(inside.error(), (Error{ErrorCode::unavailable, kNotCallable}));
    EXPECT_EQ(unknown.error(), inside.error());
    EXPECT_NE(lines.str().find("reason=\"the address is not public\" place=localhost:9"), std::string::npos)
        << lines.str();
    EXPECT_NE(lines.str().find("reason=\"the host name does not resolve\" place=never-was.invalid:9"),
              std::string::npos)
        << lines.str();
    CurlHttpClient of_operator({.permitted = kLoopback, .audience = HttpAudience::operators});
    EXPECT_EQ(of_operator.send(call("http://never-was.invalid/")).error().message, "the host name does not resolve");
}

TEST(CurlHttpClient, ReachesWhatAnOperatorPermits) {
    HttpReceiver receiver(always(http_answer(204)));
    CurlHttpClient client({.permitted = parse_networks("127.0.0.1").value()});
    EXPECT_EQ(client.send(call(receiver.url())).value().status, 204);
    EXPECT_EQ(client.send(call("http://localhost:" + std::to_string(receiver.port()) + "/")).value().status, 204);
    EXPECT_EQ(client.send(call("http://[::ffff:127.0.0.1]:" + std::to_string(receiver.port()) + "/")).value().status,
              204);
}

TEST(CurlHttpClient, TellsBeforehandWhatCanBeTold) {
    const CurlHttpClient client({.permitted = kLoopback});
    EXPECT_TRUE(client.check(parse_url("http://127.0.0.1/").value()));
    EXPECT_TRUE(client.check(parse_url("http://anything.example/").value()));
    EXPECT_EQ(client.check(parse_url("http://10.0.0.1/").value()).error().code, ErrorCode::forbidden);
}

TEST(CurlHttpClient, FollowsNoRedirect) {
    HttpReceiver inner(always(http_answer(200, "secret")));
    HttpReceiver receiver(always(http_answer(302, "", "Location: " + inner.url() + "\r\n")));
    CurlHttpClient client({.permitted = kLoopback});
    EXPECT_EQ(client.send(call(receiver.url())).value().status, 302);
    EXPECT_EQ(inner.connections(), 0);
}

TEST(CurlHttpClient, UsesNoProxyOfTheEnvironment) {
    HttpReceiver proxy(always(http_answer(200, "proxy")));
    HttpReceiver receiver(always(http_answer(200, "receiver")));
    ::setenv("http_proxy", proxy.url().c_str(), 1);
    ::setenv("all_proxy", proxy.url().c_str(), 1);
    CurlHttpClient client({.permitted = kLoopback});
    const auto answer = client.send(call(receiver.url()));
    ::unsetenv("http_proxy");
    ::unsetenv("all_proxy");
    EXPECT_EQ(answer.value().body, "receiver");
    EXPECT_EQ(proxy.connections(), 0);
}

TEST(CurlHttpClient, BoundsTheAnswer) {
    HttpReceiver receiver([](const Received& request) {
        if (request.target == "/headers") return http_answer(200, "", "X-Long: " + std::string(40'000, 'x') + "\r\n");
        if (request.target == "/chunked")
            return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x') +
                   "\r\n0\r\n\r\n";
        return http_answer(200, std::string(request.target == "/fits" ? 100 : 101, 'x'));
    });
    CurlHttpClient client({.permitted = kLoopback});
    const auto get = [&](const char* path, LongAnswer long_answer) {
        auto any = call(receiver.url(path));
        any.answer_max = 100;
        any.long_answer = long_answer;
        return client.send(any);
    };
    EXPECT_EQ(get("/fits", LongAnswer::refuse).value().body.size(), 100U);
    EXPECT_EQ(get("/longer", LongAnswer::refuse).error().message, "the response is longer than 100 bytes");
    EXPECT_EQ(get("/chunked", LongAnswer::refuse).error().message, "the response is longer than 100 bytes");
    const auto cut = get("/longer", LongAnswer::cut).value();
    EXPECT_EQ(cut.status, 200);
    EXPECT_EQ(cut.body.size(), 100U);
    EXPECT_TRUE(cut.cut);
    EXPECT_NE(get("/headers", LongAnswer::cut).error().message.find("the headers of the response are longer"),
              std::string::npos);
}

TEST(CurlHttpClient, GivesUpOnWhoeverDoesNotAnswer) {
    HttpReceiver receiver([](const Received&) { return std::nullopt; });
    CurlHttpClient client({.permitted = kLoopback});
    auto any = call(receiver.url());
    any.timeout = std::chrono::milliseconds{100};
    const auto answer = client.send(any);
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    EXPECT_EQ(answer.error().message, "no answer within 100 ms");
}

TEST(CurlHttpClient, GivesUpWhenItIsAskedTo) {
    std::stop_source stop;
    HttpReceiver receiver([&](const Received&) {
        stop.request_stop();
        return std::nullopt;
    });
    CurlHttpClient client({.permitted = kLoopback});
    auto any = call(receiver.url());
    any.timeout = std::chrono::hours{1};
    any.stop = stop.get_token();
    EXPECT_EQ(client.send(any).error().message, "cancelled: the server is shutting down");
}

TEST(CurlHttpClient, SaysInWordsWhatFailed) {
    unsigned short closed = 0;
    {
        const HttpReceiver gone(always(""));
        closed = gone.port();
    }
    HttpReceiver receiver([](const Received& request) -> std::string {
        if (request.target == "/short") return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!";
        return request.target == "/empty" ? "" : "hello\r\n";
    });
    CurlHttpClient client({.permitted = kLoopback});
    const auto failure = [&](const std::string& url) { return client.send(call(url)).error().message; };
    EXPECT_EQ(failure("http://127.0.0.1:" + std::to_string(closed) + "/"), "the host does not accept connections");
    EXPECT_EQ(failure(receiver.url("/short")), "the connection closed before the response was complete");
    EXPECT_EQ(failure(receiver.url("/empty")), "the connection closed before the response was complete");
    EXPECT_EQ(failure(receiver.url("/hello")), "the response is not HTTP");
}

TEST(CurlHttpClient, TrustsOnlyCertificatesOfItsAuthoritiesForTheHostThatItCalls) {
    const test::TempFolder folder;
    const test::TlsIdentity right("IP:127.0.0.1");
    const test::TlsIdentity other("DNS:example.com");
    std::ofstream(folder.file("ca.pem")) << right.pem() << other.pem();
    HttpReceiver good(always(http_answer(200, "safe")), &right);
    HttpReceiver misnamed(always(http_answer(200, "unsafe")), &other);
    CurlHttpClient with_authority({.permitted = kLoopback, .authorities = folder.file("ca.pem")});
    CurlHttpClient with_the_systems({.permitted = kLoopback});
    EXPECT_EQ(with_authority.send(call(good.url())).value().body, "safe");
    const std::string untrusted = "the certificate of the host is not trusted, or is for another name";
    EXPECT_EQ(with_the_systems.send(call(good.url())).error().message, untrusted);
    EXPECT_EQ(with_authority.send(call(misnamed.url())).error().message, untrusted);
    EXPECT_TRUE(misnamed.received().empty()) << "the request itself was never sent";
}

TEST(CurlHttpClient, UsesAConnectionAgain) {
    HttpReceiver receiver(always(http_answer(200, "", "Connection: keep-alive\r\n")));
    CurlHttpClient client({.permitted = kLoopback});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.send(call(receiver.url())).value().status, 200);
    EXPECT_EQ(receiver.connections(), 1);
}

TEST(CurlHttpClient, MayBeUsedByManyAtOnce) {
    std::latch all(8);
    HttpReceiver receiver([&](const Received& request) {
        all.arrive_and_wait();
        return http_answer(200, request.target);
    });
    CurlHttpClient client({.permitted = kLoopback});
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, path = "/" + std::to_string(i)] {
            EXPECT_EQ(client.send(call(receiver.url(path))).value().body, path);
        });
    }
}

TEST(CurlHttpClient, RefusesHeadersThatItsCallerMayNotSet) {
    HttpReceiver receiver(always(http_answer(200)));
    CurlHttpClient client({.permitted = kLoopback});
    for (const auto* name :
         {"Host", "AUTHORIZATION", "content-length", "Transfer-Encoding", "Connection", "Upgrade", "Expect", "Cookie",
          "Proxy-Authorization", "webhook-id", "Webhook-Signature", "belfry-run", "X-Forwarded-For", "User-Agent"}) {
        auto any = call(receiver.url());
        any.headers = {{name, "x"}};
        EXPECT_NE(client.send(any).error().message.find("is set by the server"), std::string::npos) << name;
    }
    for (const auto& header :
         {HttpHeader{"", "x"}, HttpHeader{"X Y", "x"}, HttpHeader{"X:Y", "x"}, HttpHeader{"X-A\r\nHost", "x"},
          HttpHeader{"X-A", "a\r\nHost: b"}, HttpHeader{"X-A", "a\nb"}, HttpHeader{"X-A", std::string("\0", 1)},
          HttpHeader{"X-A", std::string(9'000, 'x')}}) {
        auto any = call(receiver.url());
        any.headers = {header};
        EXPECT_EQ(client.send(any).error().code, ErrorCode::invalid_argument) << header.first;
        any.headers = {};
        any.own_headers = {header};
        EXPECT_EQ(client.send(any).error().code, ErrorCode::invalid_argument) << header.first;
    }
    auto any = call(receiver.url());
    any.method = "GET / HTTP/1.1\r\nX: y";
    EXPECT_EQ(client.send(any).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(receiver.connections(), 0);
}

TEST(CurlHttpClient, OwnHeadersMaySpeakForTheServer) {
    HttpReceiver receiver(always(http_answer(200)));
    CurlHttpClient client({.permitted = kLoopback});
    auto any = call(receiver.url());
    any.own_headers = {{"Authorization", "Bearer x"}};
    EXPECT_TRUE(client.send(any));
    EXPECT_EQ(receiver.received().at(0).header("authorization"), "Bearer x");
}

TEST(RetryAfter, IsReadInSecondsAndAsADate) {
    const auto now = parse_instant("2026-06-01T10:00:00Z").value();
    const auto wait = [&](const char* text) { return retry_after({.headers = {{"retry-after", text}}}, now); };
    EXPECT_EQ(wait("120"), Seconds{120});
    EXPECT_EQ(wait("Mon, 01 Jun 2026 10:01:30 GMT"), Seconds{90});
    EXPECT_EQ(wait("Mon, 01 Jun 2026 09:00:00 GMT"), Seconds{0});
    EXPECT_EQ(wait("-5"), Seconds{0});
    EXPECT_EQ(wait("99999999999"), std::chrono::days{366});
    EXPECT_EQ(wait("99999999999999999999999"), std::nullopt);
    EXPECT_EQ(wait("soon"), std::nullopt);
    EXPECT_EQ(retry_after({}, now), std::nullopt);
}

}  // namespace
}  // namespace belfry
