#include "api/auth/exposure.hpp"

#include <gtest/gtest.h>

namespace belfry::api::auth {
namespace {

TEST(Exposure, OnlyTheseAddressesAreThisMachineAlone) {
    for (const auto* const here :
         {"127.0.0.1", "127.1.2.3", "127.255.255.255", "::1", "[::1]", "0:0:0:0:0:0:0:1", "localhost", "LocalHost"}) {
        EXPECT_TRUE(is_loopback_host(here)) << here;
    }
    for (const auto* const elsewhere :
         {"0.0.0.0", "::", "[::]", "128.0.0.1", "126.255.255.255", "192.168.1.5", "10.0.0.1", "fe80::1",
          "::ffff:127.0.0.1", "example.org", "localhost.example.org", "127.0.0.1.example.org", "127.1", "2130706433",
          "0x7f000001", "", " 127.0.0.1", "127.0.0.1 ", "*"}) {
        EXPECT_FALSE(is_loopback_host(elsewhere)) << elsewhere;
    }
    EXPECT_FALSE(is_loopback_host(std::string_view("127.0.0.1\0.example.org", 22)));
    EXPECT_TRUE(is_loopback_listen("127.0.0.1:8642"));
    EXPECT_TRUE(is_loopback_listen("[::1]:8642"));
    EXPECT_TRUE(is_loopback_listen("localhost:0"));
    EXPECT_FALSE(is_loopback_listen("[::]:8642"));
    EXPECT_FALSE(is_loopback_listen(":8642"));
}

TEST(Exposure, WhatOthersCanReachNeedsSomebodyWhoCanBeKnown) {
    struct Row {
        Exposure exposure;
        std::string error;
    };
    const auto nobody = [](const std::string& listen) {
        return "\"" + listen +
               "\" is reachable from other machines, and no client could authenticate; create a first key with belfry "
               "token create, set auth_file, "
               "or "
               "listen on 127.0.0.1, [::1] or localhost";
    };
    const auto off = [](const std::string& listen) {
        return "\"" + listen +
               "\" is reachable from other machines, and auth = off does not authenticate requests; set auth to "
               "required, or listen on 127.0.0.1, "
               "[::1] "
               "or "
               "localhost";
    };
    const Row rows[] = {
        {{"127.0.0.1:1", AuthMode::automatic}, ""},
        {{"127.0.0.1:1", AuthMode::off}, ""},
        {{"[::1]:1", AuthMode::off}, ""},
        {{"0.0.0.0:1", AuthMode::automatic}, nobody("0.0.0.0:1")},
        {{"[::]:1", AuthMode::automatic}, nobody("[::]:1")},
        {{"example.org:1", AuthMode::automatic}, nobody("example.org:1")},
        {{"0.0.0.0:1", AuthMode::automatic, true, false}, ""},
        {{"0.0.0.0:1", AuthMode::automatic, false, true}, ""},
        {{"0.0.0.0:1", AuthMode::required}, ""},
        {{"0.0.0.0:1", AuthMode::off}, off("0.0.0.0:1")},
        {{"192.168.1.5:1", AuthMode::off, true, true}, off("192.168.1.5:1")},
    };
    for (const auto& row : rows) {
        const auto checked = check_exposure(row.exposure);
        EXPECT_EQ(checked ? "" : checked.error().message, row.error);
    }
}

}  // namespace
}  // namespace belfry::api::auth
