// An API with its engine on a store, without a socket. The engine's loops run only when they are started.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "api/api.hpp"
#include "support/oracles/stores.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::test {

// One of "memory", "sqlite", "postgres". REQUIRES: it is there.
[[nodiscard]] std::unique_ptr<StoreWorld> store_world(const std::string& name);

class ApiWorld {
public:
    explicit ApiWorld(const std::string& store_name = "memory", engine::EngineOptions options = {});

    // JSON in, JSON out. An empty body sends none. An answer that comes later is waited for.
    api::Response call(const std::string& method, const std::string& path, const std::string& body = {},
                       const std::vector<api::Header>& headers = {}) const;

    // What a POST of that body answers; a test failure when its status is another one.
    [[nodiscard]] Json post(const std::string& path, const std::string& body, int status = 200) const;
    [[nodiscard]] Json get(const std::string& path, int status = 200) const;

    std::unique_ptr<StoreWorld> place;
    StorePtr store;
    engine::Observer observer;
    engine::Engine engine;
    api::Api api;
};

// The member at the pointer as compact JSON text; "absent" when there is none.
[[nodiscard]] std::string at(const Json& json, std::string_view pointer);
[[nodiscard]] std::string at(const api::Response& response, std::string_view pointer);

}  // namespace belfry::test
