#include "api/http/browser_guard.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

namespace {

std::string code_of(const Request& request, const BrowserRules& rules) {
    const auto problem = refuse_browser(request, rules);
    if (!problem) return "";
    EXPECT_EQ(problem->status, 403);
    return problem->code;
}

Request to(const std::string& host) { return {.headers = {{"Host", host}}}; }

Request from(const std::string& origin, const std::string& method = "POST",
             const std::string& host = "localhost:8642") {
    return {.method = method, .headers = {{"Host", host}, {"Origin", origin}}};
}

const BrowserRules kLocal{.listen = "127.0.0.1:8642"};

}  // namespace

TEST(BrowserGuard, AServerOnThisMachineAnswersToItsOwnNamesOnly) {
    for (const auto* host : {"localhost", "LOCALHOST:8642", "127.0.0.1", "127.0.0.1:8642", "[::1]", "[::1]:8642"}) {
        EXPECT_EQ(code_of(to(host), kLocal), "") << host;
    }
    // What a page of theirs makes the browser say after its name was bound to 127.0.0.1.
    for (const auto* host :
         {"attacker.example", "attacker.example:8642", "localhost.attacker.example", "127.0.0.1.attacker.example",
          "10.0.0.1", "[::2]", "localhost:8642.attacker.example", "attacker.example@localhost"}) {
        EXPECT_EQ(code_of(to(host), kLocal), "host_not_allowed") << host;
    }
    EXPECT_EQ(code_of({}, kLocal), "") << "an old client says no name";
    EXPECT_EQ(code_of(to("127.0.0.2:1"), {.listen = "127.0.0.2:1"}), "") << "the address that it listens on";
    EXPECT_EQ(code_of(to("attacker.example"), {.listen = "127.0.0.2:1"}), "host_not_allowed");
    EXPECT_EQ(code_of(to("attacker.example"), {.listen = "[::1]:1"}), "host_not_allowed");
    EXPECT_EQ(code_of(to("attacker.example"), {.listen = "localhost:1"}), "host_not_allowed");
}

TEST(BrowserGuard, AProxyInFrontHasItsNamesInTheSettings) {
    const BrowserRules rules{.listen = "127.0.0.1:8642", .allowed_hosts = {"belfry.example", "other.example"}};
    EXPECT_EQ(code_of(to("Belfry.Example:443"), rules), "");
    EXPECT_EQ(code_of(to("localhost"), rules), "");
    EXPECT_EQ(code_of(to("attacker.example"), rules), "host_not_allowed");
    EXPECT_EQ(code_of(to("attacker.example"), {.listen = "127.0.0.1:8642", .allowed_hosts = {"*"}}), "");
}

TEST(BrowserGuard, AServerThatOthersReachIsPickyOnlyWhenItIsTold) {
    EXPECT_EQ(code_of(to("belfry.example"), {.listen = "0.0.0.0:8642"}), "");
    EXPECT_EQ(code_of(to("attacker.example"), {.listen = "0.0.0.0:8642", .allowed_hosts = {"belfry.example"}}),
              "host_not_allowed");
}

TEST(BrowserGuard, PagesOfStrangersChangeNothing) {
    EXPECT_EQ(code_of(from("http://localhost:8642"), kLocal), "") << "its own page";
    for (const auto* method : {"POST", "PUT", "PATCH", "DELETE", "BREW"}) {
        EXPECT_EQ(code_of(from("https://attacker.example", method), kLocal), "cross_origin") << method;
    }
    for (const auto* method : {"GET", "HEAD", "OPTIONS"})
        EXPECT_EQ(code_of(from("https://attacker.example", method), kLocal), "") << method;
    for (const auto* origin : {"null", "http://localhost", "http://localhost:9999",
                               "http://localhost:8642.attacker.example", "localhost:8642", "file://"}) {
        EXPECT_EQ(code_of(from(origin), kLocal), "cross_origin") << origin;
    }
    EXPECT_EQ(code_of({.method = "POST", .headers = {{"Host", "localhost:8642"}}}, kLocal), "") << "no browser";
}

TEST(BrowserGuard, APortThatNeedNotBeSaidMakesNoStranger) {
    const BrowserRules rules{.listen = "0.0.0.0:443"};
    EXPECT_EQ(code_of(from("https://belfry.example", "POST", "belfry.example:443"), rules), "");
    EXPECT_EQ(code_of(from("https://belfry.example:443", "POST", "belfry.example"), rules), "");
    EXPECT_EQ(code_of(from("http://belfry.example", "POST", "belfry.example:80"), rules), "");
    EXPECT_EQ(code_of(from("http://belfry.example", "POST", "belfry.example:8080"), rules), "cross_origin");
}

TEST(BrowserGuard, NamesOfThisServerAreNoOriginsOfOthers) {
    for (const auto* const host : {"belfry.example", "*"}) {
        const BrowserRules rules{.listen = "127.0.0.1:1", .allowed_hosts = {host}};
        EXPECT_EQ(code_of(from("https://belfry.example", "POST", "belfry.example"), rules), "") << "its own page";
        EXPECT_EQ(code_of(from("https://belfry.example:8443", "POST", "belfry.example"), rules), "cross_origin")
            << "another port is another origin";
        EXPECT_EQ(code_of(from("https://attacker.example", "POST", "belfry.example"), rules), "cross_origin");
    }
}

TEST(BrowserGuard, PagesOfAllowedOriginsMayChangeThings) {
    const BrowserRules rules{.listen = "127.0.0.1:8642",
                             .allowed_origins = {"https://app.example:8443", "http://localhost:3000"}};
    EXPECT_EQ(code_of(from("https://app.example:8443"), rules), "");
    EXPECT_EQ(code_of(from("http://localhost:3000"), rules), "");
    for (const auto* const origin : {"http://app.example:8443", "https://app.example", "https://app.example:84430",
                                     "https://x.app.example:8443", "null"}) {
        EXPECT_EQ(code_of(from(origin), rules), "cross_origin") << origin;
    }
    EXPECT_EQ(code_of(from("https://attacker.example"), {.listen = "127.0.0.1:1", .allowed_origins = {"*"}}), "");
}

TEST(BrowserGuard, TheRefusalNamesTheSettingAndTheValue) {
    const auto detail = [](const Request& request) { return refuse_browser(request, kLocal)->detail; };
    EXPECT_EQ(detail(from("https://app.example:8443")),
              "a page of \"https://app.example:8443\" may not use this server; to allow it, add "
              "https://app.example:8443 to allowed_origins");
    EXPECT_EQ(detail(to("belfry.example:443")),
              "this server does not respond to the name \"belfry.example\"; to allow it, add belfry.example to "
              "allowed_hosts");
    EXPECT_NE(detail(from("null")).find("add its origin to allowed_origins"), std::string::npos);
}

TEST(BrowserGuard, TheBrowserSaysHowFarThePageIs) {
    const auto request = [](const std::string& method, const std::string& site, std::vector<Header> more = {}) {
        more.emplace_back("Host", "localhost:8642");
        more.emplace_back("Sec-Fetch-Site", site);
        return Request{.method = method, .headers = std::move(more)};
    };
    const std::vector<Header> link{{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}};
    const std::vector<Header> frame{{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "iframe"}};
    const std::vector<Header> image{{"Sec-Fetch-Mode", "no-cors"}, {"Sec-Fetch-Dest", "image"}};
    for (const auto* const site : {"cross-site", "same-site"}) {
        for (const auto* const method : {"POST", "PUT", "PATCH", "DELETE"})
            EXPECT_EQ(code_of(request(method, site), kLocal), "cross_origin") << method;
        EXPECT_EQ(code_of(request("POST", site, link), kLocal), "cross_origin") << "a form";
        EXPECT_EQ(code_of(request("GET", site, link), kLocal), "") << "somebody follows a link";
        EXPECT_EQ(code_of(request("GET", site, frame), kLocal), "cross_origin");
        EXPECT_EQ(code_of(request("GET", site, image), kLocal), "cross_origin");
        EXPECT_EQ(code_of(request("GET", site, {{"Origin", "https://app.example"}}), kLocal), "cross_origin");
        EXPECT_EQ(code_of(request("GET", site, {{"Origin", "https://app.example"}}),
                          {.listen = "127.0.0.1:1", .allowed_origins = {"https://app.example"}}),
                  "");
    }
    for (const auto* const site : {"same-origin", "none"}) {
        for (const auto* const method : {"GET", "POST"}) EXPECT_EQ(code_of(request(method, site), kLocal), "") << site;
    }
    EXPECT_EQ(code_of(request("POST", "same-origin", {{"Origin", "https://belfry.example"}}), kLocal), "")
        << "a proxy in front has changed Host";
    EXPECT_EQ(code_of(request("POST", "none", {{"Origin", "https://attacker.example"}}), kLocal), "cross_origin");
}

TEST(Cors, APreflightIsAnsweredToAllowedPages) {
    const BrowserRules rules{.listen = "127.0.0.1:8642", .allowed_origins = {"https://app.example"}};
    auto question = from("https://app.example", "OPTIONS");
    EXPECT_EQ(answer_preflight(question, rules), std::nullopt) << "it asks nothing";
    question.headers.emplace_back("Access-Control-Request-Method", "PUT");
    question.headers.emplace_back("Access-Control-Request-Headers", "authorization,if-match");
    EXPECT_EQ(code_of(question, rules), "");
    const auto answer = answer_preflight(question, rules).value();
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "https://app.example");
    EXPECT_EQ(answer.header("Access-Control-Allow-Headers"), "authorization,if-match");
    EXPECT_NE(answer.header("Access-Control-Allow-Methods").find("PUT"), std::string_view::npos);
    EXPECT_EQ(answer.header("Access-Control-Max-Age"), "600");
    EXPECT_EQ(answer.header("Vary"), "Origin");
    EXPECT_EQ(answer.header("Access-Control-Allow-Credentials"), "");
    auto stranger = from("https://attacker.example", "OPTIONS");
    stranger.headers.emplace_back("Access-Control-Request-Method", "PUT");
    EXPECT_EQ(code_of(stranger, rules), "cross_origin");
}

TEST(Cors, AnAllowedPageReadsAnswersAndTheirHeaders) {
    const auto answered = [](const BrowserRules& rules, const Request& request) {
        Response response;
        allow_origin(request, rules, response);
        return response;
    };
    const BrowserRules rules{.allowed_origins = {"https://app.example"}};
    const auto read = answered(rules, from("https://app.example", "GET"));
    EXPECT_EQ(read.header("Access-Control-Allow-Origin"), "https://app.example");
    EXPECT_EQ(read.header("Vary"), "Origin");
    for (const auto* const name : {"ETag", "Location", "Retry-After", "X-Request-Id", "Link"}) {
        EXPECT_NE(read.header("Access-Control-Expose-Headers").find(name), std::string_view::npos) << name;
    }
    EXPECT_EQ(answered(rules, to("localhost")).header("Vary"), "Origin") << "a cache must not give it to the page";
    EXPECT_EQ(answered(rules, from("https://other.example", "GET")).header("Access-Control-Allow-Origin"), "");
    EXPECT_EQ(answered({.allowed_origins = {"*"}}, from("https://other.example", "GET"))
                  .header("Access-Control-Allow-Origin"),
              "*");
    EXPECT_TRUE(answered({}, from("https://app.example", "GET")).headers.empty());
}

TEST(Cors, AnOriginIsWrittenAsBrowsersDo) {
    for (const auto* const good :
         {"*", "https://app.example", "http://localhost:3000", "https://[::1]:8443", "chrome-extension://abcdef"}) {
        EXPECT_TRUE(check_origin(good)) << good;
    }
    for (const auto* const wrong :
         {"", "app.example", "https://", "https://:80", "https://app.example/", "https://app.example/path",
          "https://a@b", "https://*.example", "null", "://app.example", "https://app example"}) {
        EXPECT_FALSE(check_origin(wrong)) << wrong;
    }
    EXPECT_EQ(check_origin("https://app.example:443").error().message,
              "\"https://app.example:443\": browsers omit that port; write https://app.example");
}

}  // namespace belfry::api
