#include "api/http/pool/handler_client.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

TEST(HandlerClient, IsTheTenantOfThePathInEverySpelling) {
    for (const auto* const path : {"/api/tenants/acme/schedules", "/api/tenants/%61cme/schedules",
                                   "/api/tenants/%61%63%6D%65/runs", "/api/tenants/acme"}) {
        const auto client = client_of("127.0.0.1", Request{.path = path});
        EXPECT_EQ(client.tenant, "acme") << path;
        EXPECT_EQ(client.network, "127.0.0.1") << path;
    }
}

TEST(HandlerClient, IsTheTenantOfTheHeaderWhereThePathNamesNone) {
    EXPECT_EQ(client_of("::1", Request{.path = "/api/schedules", .headers = {{"X-Namespace", "acme"}}}).tenant, "acme");
    EXPECT_EQ(client_of("::1", Request{.path = "/metrics"}).tenant, "");
    EXPECT_EQ(client_of("::1", Request{.path = "/api/tenants/%zz/runs"}).tenant, "") << "no such name";
    EXPECT_EQ(client_of("::1", Request{.path = "/api/tenants/acme/runs", .headers = {{"X-Namespace", "b"}}}).tenant,
              "acme");
}

}  // namespace belfry::api
