#include "api/contract/router.hpp"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "api/http/request_id.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

using test::at;

// Answers with what arrived.
Result<Response> echo(const Call& call) {
    boost::json::object path;
    for (const auto& [name, value] : call.path) path[name] = value;
    return json_response(
        boost::json::object{{"path", path}, {"body", call.body}, {"requestId", call.context().request_id}});
}

Route route(const std::string& method, const std::string& pattern, ShapePtr body = {},
            Presence presence = Presence::required) {
    return {.method = method,
            .pattern = pattern,
            .operation = "do",
            .summary = "Does.",
            .permission = model::Permission::read,
            .query = {{"limit", integer(1, 5), "How many."}, {"from", instant(), "From when."}},
            .body = std::move(body),
            .body_presence = presence,
            .answers = {{200, map_of(anything())}},
            .handler = echo};
}

Routes routes() {
    auto failing = route("GET", "/fail");
    failing.handler = [](const Call&) -> Result<Response> { return Error{ErrorCode::unavailable, "away"}; };
    return {route("GET", "/things/{thing}"), route("PUT", "/things/{thing}", map_of(anything())),
            route("POST", "/things/{thing}/parts/{part}", record("", {}), Presence::optional), failing};
}

Router router() { return Router(routes()); }

Request request(const std::string& method, const std::string& path, const std::string& body = {},
                const std::string& type = "application/json") {
    Request made{.method = method, .path = path, .body = body};
    if (!body.empty()) made.headers.emplace_back("content-type", type);
    return made;
}

}  // namespace

TEST(Router, GivesThePartsOfThePathDecoded) {
    const auto response = router().handle(request("POST", "/things/a%2Fb/parts/%C3%BC"));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(at(response, "/path"), R"({"thing":"a/b","part":"ü"})");
    EXPECT_EQ(at(response, "/body"), "{}");
}

TEST(Router, AnAliasIsTheSameRouteAndAMethodIsNamedOnce) {
    auto one = route("POST", "/rpc/one", map_of(anything()), Presence::optional);
    one.alias = "/rest/v1/rpc/one";
    auto rest = route("POST", "/rpc/{function}", map_of(anything()), Presence::optional);
    const Router served({one, rest});
    EXPECT_EQ(at(served.handle(request("POST", "/rest/v1/rpc/one")), "/path"), "{}");
    EXPECT_EQ(at(served.handle(request("POST", "/rpc/two")), "/path"), R"({"function":"two"})");
    EXPECT_EQ(served.handle(request("POST", "/rest/v1/rpc/two")).status, 404);
    EXPECT_EQ(served.handle(request("GET", "/rpc/one")).header("Allow"), "POST, OPTIONS");
}

TEST(Router, AHandlerMayCheckTheBodyItself) {
    auto lenient = route("PUT", "/things", record("", {{"a", integer(), "A number."}}));
    EXPECT_EQ(Router({lenient}).handle(request("PUT", "/things", R"({"b":1})")).status, 422);
    lenient.handler_checks_body = true;
    EXPECT_EQ(at(Router({lenient}).handle(request("PUT", "/things", R"({"b":1})")), "/body"), R"({"b":1})");
}

TEST(Router, RefusesWhatItDoesNotKnow) {
    struct Row {
        std::string method;
        std::string path;
        int status;
        std::string code;
    };
    const Row rows[] = {
        {"GET", "/", 404, "route_not_found"},
        {"GET", "", 404, "route_not_found"},
        {"GET", "/things", 404, "route_not_found"},
        {"GET", "/things/", 404, "route_not_found"},
        {"GET", "/things/a//", 404, "route_not_found"},
        {"GET", "/things/%zz", 400, "malformed_request"},
        {"GET", "/things/%FF", 400, "malformed_request"},
        {"DELETE", "/things/a", 405, "method_not_allowed"},
        {"get", "/things/a", 405, "method_not_allowed"},
        {"GET", "/fail", 503, "unavailable"},
    };
    for (const auto& row : rows) {
        const auto response = router().handle(request(row.method, row.path));
        EXPECT_EQ(response.status, row.status) << row.path;
        EXPECT_EQ(at(response, "/code"), '"' + row.code + '"') << row.path;
    }
}

TEST(Router, SaysWhichMethodsAPathAllows) {
    EXPECT_EQ(router().handle(request("DELETE", "/things/a")).header("Allow"), "GET, HEAD, PUT, OPTIONS");
    const auto options = router().handle(request("OPTIONS", "/things/a/parts/b"));
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.header("Allow"), "POST, OPTIONS");
    EXPECT_EQ(router().handle(request("OPTIONS", "*")).status, 204);
    EXPECT_EQ(router().handle(request("OPTIONS", "/nowhere")).status, 404);
}

TEST(Router, AnswersHeadAsItAnswersGet) { EXPECT_EQ(router().handle(request("HEAD", "/things/a")).status, 200); }

TEST(Router, ReadsOnlyJsonObjectsAndSaysWhereTheyBreak) {
    struct Row {
        std::string body;
        std::string type;
        int status;
        std::string why;
    };
    const Row rows[] = {
        {"", "", 400, "nothing was sent"},
        {R"({"a":1})", "application/json; charset=utf-8", 200, "parameters of the type do not matter"},
        {R"({"a":1})", "Application/Merge-Patch+JSON", 200, "any kind of JSON"},
        {R"({"a":1})", "application/x-www-form-urlencoded", 415, "what curl says by itself"},
        {R"({"a":1})", "text/json", 415, "not registered"},
        {R"({"a":)", "application/json", 400, "it ends early"},
        {R"({"a":1,"a":2})", "application/json", 400, "a key twice"},
        {"{\"a\":\"\xFF\"}", "application/json", 400, "not UTF-8"},
        {"[]", "application/json", 422, "no object"},
        {"12345678901234567890.5", "application/json", 422, "a number that is kept exactly is no object either"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(router().handle(request("PUT", "/things/a", row.body, row.type)).status, row.status) << row.why;
    const auto broken = router().handle(request("PUT", "/things/a", R"({"a":nul})"));
    EXPECT_NE(broken.body.find("at byte"), std::string::npos) << broken.body;
}

TEST(Router, ReadsParametersAsStrictlyAsABody) {
    struct Row {
        std::string query;
        std::string field;
    };
    const Row rows[] = {
        {"", "absent"},
        {"limit=5&from=2026-01-01T00:00:00Z", "absent"},
        {"limit=", "absent"},
        {"limit=6", R"("limit")"},
        {"limit=five", R"("limit")"},
        {"limit=1&limit=2", R"("limit")"},
        {"from=today", R"("from")"},
        {"from=%zz", R"("from")"},
        {"form=x", R"("form")"},
    };
    for (const auto& row : rows) {
        auto asked = request("GET", "/things/a");
        asked.query = row.query;
        const auto response = router().handle(asked);
        EXPECT_EQ(response.status, row.field == "absent" ? 200 : 422) << row.query;
        EXPECT_EQ(at(response, "/errors/0/parameter"), row.field) << row.query;
    }
}

TEST(Router, AsksTheGateBeforeAnythingElse) {
    std::string seen;
    auto table = routes();
    table[0].pattern = "/tenants/{tenant}/things/{thing}";
    const Router guarded(table, [&seen](const Request&, const Route& found, const std::string& tenant) {
        seen += std::string(name_of(*found.permission)) + "@" + tenant + " ";
        AccessDecision decision{.principal = {.name = "user:a"}};
        if (tenant == "closed") decision.refused = Error{ErrorCode::forbidden, "no"};
        return decision;
    });
    auto asked = request("GET", "/tenants/closed/things/a");
    asked.query = "wrong=1";
    EXPECT_EQ(guarded.handle(asked).status, 403) << "and nothing is told about the query";
    EXPECT_EQ(guarded.handle(request("GET", "/tenants/open/things/a")).status, 200);
    EXPECT_EQ(guarded.handle(request("PUT", "/things/a", "{}")).status, 200);
    EXPECT_EQ(seen, "read@closed read@open read@ ");
}

TEST(Router, ARouteIsToldOfSomebodyWhoIsKnownAndMayNot) {
    auto table = routes();
    table[0].pattern = "/tenants/{tenant}/things/{thing}";
    std::string seen;
    std::optional<Error> instead;
    table[0].when_forbidden = [&](const Call& call) {
        seen += call.principal.name + " " + call.at("thing") + " ";
        return instead;
    };
    auto code = ErrorCode::forbidden;
    const Router guarded(table, [&code](const Request&, const Route&, const std::string&) {
        return AccessDecision{.principal = {.name = "user:a"}, .refused = Error{code, "no"}};
    });
    EXPECT_EQ(guarded.handle(request("GET", "/tenants/t/things/a")).status, 403);
    instead = Error{ErrorCode::unavailable, "later"};
    EXPECT_EQ(guarded.handle(request("GET", "/tenants/t/things/b")).status, 503)
        << "what cannot be recorded is not answered";
    code = ErrorCode::unauthenticated;
    EXPECT_EQ(guarded.handle(request("GET", "/tenants/t/things/c")).status, 401);
    EXPECT_EQ(seen, "user:a a user:a b ");
}

TEST(Router, AHeadIsCheckedOnceForTheWholeRequest) {
    auto table = routes();
    table[0].pattern = "/tenants/{tenant}/things/{thing}";
    int asked = 0;
    int forbidden = 0;
    table[0].when_forbidden = [&](const Call&) -> std::optional<Error> {
        ++forbidden;
        return std::nullopt;
    };
    const Router guarded(table, [&](const Request&, const Route&, const std::string& tenant) {
        ++asked;
        AccessDecision decision{.principal = {.name = "user:a"}};
        if (tenant == "closed") decision.refused = Error{ErrorCode::forbidden, "no"};
        return decision;
    });
    auto good = request("GET", "/tenants/open/things/a");
    const auto passed = guarded.check_head(good);
    EXPECT_FALSE(passed.refusal);
    ASSERT_TRUE(passed.admitted);
    EXPECT_EQ(asked, 1);
    good.admitted = passed.admitted;
    const auto answer = guarded.handle(good);
    EXPECT_EQ(asked, 1) << "rate limits count a request once";
    EXPECT_EQ(std::to_string(answer.status) + answer.tenant + answer.principal, "200openuser:a");
    EXPECT_EQ(answer.route->pattern, table[0].pattern);

    const auto refused = guarded.check_head(request("GET", "/tenants/closed/things/a"));
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->status, 403);
    EXPECT_EQ(forbidden, 1);
    EXPECT_EQ(refused.refusal->route->pattern, table[0].pattern);
    EXPECT_EQ(refused.refusal->tenant, "closed");
    EXPECT_EQ(refused.refusal->principal, "") << "a refused client is not named";
    EXPECT_EQ(guarded.check_head(request("GET", "/nowhere")).refusal.value_or(Response{}).status, 404);
    EXPECT_EQ(guarded.check_head(request("BREW", "/tenants/open/things/a")).refusal.value_or(Response{}).status, 405);
}

TEST(Router, ADeferredAnswerNamesItsRouteAndItsPrincipal) {
    auto table = routes();
    table[0].handler = [](const Call&) -> Result<Response> {
        Response response;
        response.deferred = std::make_shared<DeferredResponse>(
            DeferredResponse{.poll = [](const Request&, bool last) -> std::optional<Response> {
                if (!last) return std::nullopt;
                return json_response(boost::json::object{{"late", true}});
            }});
        return response;
    };
    const Router guarded(table, [](const Request&, const Route&, const std::string&) {
        return AccessDecision{.principal = {.name = "user:a"}};
    });
    const auto asked = request("GET", "/things/a");
    const auto response = guarded.handle(asked);
    ASSERT_TRUE(response.deferred);
    EXPECT_FALSE(response.deferred->poll(asked, false));
    const auto answer = response.deferred->poll(asked, true);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->principal, "user:a");
    EXPECT_EQ(answer->route->pattern, "/things/{thing}");
    EXPECT_EQ(answer->body, R"({"late":true})");
}

TEST(Router, ARequestThatDependsOnACallIsHandledAgainWhenItHasEnded) {
    auto table = routes();
    Listeners listeners;
    bool answered = false;
    int handled = 0;
    table[0].handler = [&](const Call& call) -> Result<Response> {
        ++handled;
        if (answered)
            return json_response(boost::json::object{{"thing", call.at("thing")}, {"by", call.principal.name}});
        PendingWatch::add(
            {.listen = [&](std::function<void()> ring) { return listeners.add("call", std::move(ring)); }});
        return Error{ErrorCode::unavailable, "it is being asked"};
    };
    int asked_who = 0;
    const Router guarded(table, [&](const Request&, const Route&, const std::string&) {
        ++asked_who;
        return AccessDecision{.principal = {.name = "user:a"}};
    });
    const auto asked = request("GET", "/things/a");
    auto response = guarded.handle(asked);
    ASSERT_TRUE(response.deferred);
    int rings = 0;
    response.deferred->listen([&rings] { ++rings; });
    EXPECT_FALSE(response.deferred->poll(asked, false)) << "still not there";
    answered = true;
    listeners.ring("call");
    EXPECT_EQ(rings, 1);
    EXPECT_EQ(response.deferred->poll(asked, false).value().body, R"({"thing":"a","by":"user:a"})");
    EXPECT_EQ(handled, 3);
    EXPECT_EQ(asked_who, 1) << "a request counts once, however often it is handled";
    answered = false;
    response = guarded.handle(asked);
    EXPECT_EQ(response.deferred->poll(asked, true).value().status, 503) << "its time is over";
    response = {};
    listeners.ring("call");
    EXPECT_EQ(rings, 1) << "it does not listen any more";
}

TEST(Router, KeepsTheDigitsOfNumbers) {
    EXPECT_NE(router()
                  .handle(request("PUT", "/things/a", R"({"a":2.9999999999999999999})"))
                  .body.find("2.9999999999999999999"),
              std::string::npos);
}

TEST(Router, EchoesTheRequestIdAndKeepsItHarmless) {
    auto asked = request("GET", "/things/a");
    asked.headers.emplace_back("x-request-id", "abc\r\nSet-Cookie: x" + std::string(1000, 'y'));
    const auto response = router().handle(asked);
    EXPECT_EQ(response.header("X-Request-Id").find('\n'), std::string_view::npos);
    EXPECT_LE(response.header("X-Request-Id").size(), 4 * kRequestIdMax);
    EXPECT_EQ(router().handle(request("GET", "/things/a")).header("X-Request-Id"), "");
}

}  // namespace belfry::api
