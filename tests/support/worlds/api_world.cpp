#include "support/worlds/api_world.hpp"

#include <algorithm>
#include <semaphore>

#include "base/text/json_pointer.hpp"

namespace belfry::test {

std::unique_ptr<StoreWorld> store_world(const std::string& name) {
    const auto all = stores_under_test();
    const auto found = std::ranges::find(all, name, &StoreUnderTest::name);
    return found == all.end() ? nullptr : found->make();
}

namespace {

// As a session does it.
api::Response wait_for(const api::Request& request, api::Response response) {
    std::counting_semaphore<> rung(0);
    const auto later = std::move(response.deferred);
    later->listen([&rung] { rung.release(); });
    while (true) {
        const bool last = !rung.try_acquire_until(later->until);
        if (auto answer = later->poll(request, last)) return std::move(*answer);
    }
}

}  // namespace

ApiWorld::ApiWorld(const std::string& store_name, engine::EngineOptions options)
    : place(store_world(store_name)),
      store(place->open()),
      engine(*store, zones(), observer, std::move(options)),
      api(engine) {}

api::Response ApiWorld::call(const std::string& method, const std::string& path, const std::string& body,
                             const std::vector<api::Header>& headers) const {
    const auto question = std::min(path.find('?'), path.size());
    api::Request request{.method = method, .path = path.substr(0, question), .headers = headers, .body = body};
    if (question < path.size()) request.query = path.substr(question + 1);
    if (!body.empty() && request.header("Content-Type").empty())
        request.headers.emplace_back("Content-Type", "application/json");
    auto response = api.handler()(request);
    return response.deferred ? wait_for(request, std::move(response)) : response;
}

Json ApiWorld::post(const std::string& path, const std::string& body, int status) const {
    const auto response = call("POST", path, body);
    EXPECT_EQ(response.status, status) << path << "\n" << response.body;
    return json(response.body);
}

Json ApiWorld::get(const std::string& path, int status) const {
    const auto response = call("GET", path);
    EXPECT_EQ(response.status, status) << path << "\n" << response.body;
    return json(response.body);
}

std::string at(const Json& value, std::string_view pointer) {
    const auto parsed = JsonPointer::parse(pointer);
    const auto* const found = parsed ? parsed->find(value) : nullptr;
    return found == nullptr ? "absent" : to_text(*found);
}

std::string at(const api::Response& response, std::string_view pointer) {
    const auto body = parse_json(response.body);
    return body ? at(*body, pointer) : "no JSON: " + response.body;
}

}  // namespace belfry::test
