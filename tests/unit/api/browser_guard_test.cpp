#include "api/browser_guard.hpp"

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

Request from(const std::string& origin, const std::string& method = "POST", const std::string& host = "localhost:8642") {
    return {.method = method, .headers = {{"Host", host}, {"Origin", origin}}};
}

const BrowserRules kLocal{.listen = "127.0.0.1:8642"};

}  // namespace

TEST(BrowserGuard, AServerOnThisMachineAnswersToItsOwnNamesOnly) {
    for (const auto* host : {"localhost", "LOCALHOST:8642", "127.0.0.1", "127.0.0.1:8642", "[::1]", "[::1]:8642"}) {
        EXPECT_EQ(code_of(to(host), kLocal), "") << host;
    }
    // What a page of theirs makes the browser say after its name was bound to 127.0.0.1.
    for (const auto* host : {"attacker.example", "attacker.example:8642", "localhost.attacker.example", "127.0.0.1.attacker.example", "10.0.0.1",
                             "[::2]", "localhost:8642.attacker.example", "attacker.example@localhost"}) {
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
    EXPECT_EQ(code_of(to("attacker.example"), {.listen = "0.0.0.0:8642", .allowed_hosts = {"belfry.example"}}), "host_not_allowed");
}

TEST(BrowserGuard, PagesOfStrangersChangeNothing) {
    EXPECT_EQ(code_of(from("http://localhost:8642"), kLocal), "") << "its own page";
    for (const auto* method : {"POST", "PUT", "PATCH", "DELETE", "BREW"}) {
        EXPECT_EQ(code_of(from("https://attacker.example", method), kLocal), "cross_origin") << method;
    }
    for (const auto* method : {"GET", "HEAD", "OPTIONS"}) EXPECT_EQ(code_of(from("https://attacker.example", method), kLocal), "") << method;
    for (const auto* origin :
         {"null", "http://localhost", "http://localhost:9999", "http://localhost:8642.attacker.example", "localhost:8642", "file://"}) {
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

TEST(BrowserGuard, PagesOfAllowedHostsMayChangeThings) {
    EXPECT_EQ(code_of(from("https://belfry.example:8443"), {.listen = "127.0.0.1:1", .allowed_hosts = {"belfry.example"}}), "");
    EXPECT_EQ(code_of(from("https://attacker.example"), {.listen = "127.0.0.1:1", .allowed_hosts = {"belfry.example"}}), "cross_origin");
    EXPECT_EQ(code_of(from("https://attacker.example"), {.listen = "127.0.0.1:1", .allowed_hosts = {"*"}}), "");
}

}  // namespace belfry::api
