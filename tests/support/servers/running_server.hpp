// An HTTP server without an engine behind it, on a free port; a test failure when it does not start.
#pragma once

#include <gtest/gtest.h>

#include "api/http/http_server.hpp"

namespace belfry::test {

// Says what arrived.
inline api::Response echo(const api::Request& request) {
    return {200, {{"Content-Type", "text/plain"}}, request.method + ' ' + request.path + ' ' + request.body};
}

struct Running {
    explicit Running(api::Handler handler = echo, api::HttpServerOptions options = {})
        : server(std::move(handler), on_free_port(std::move(options))) {
        const auto started = server.start();
        EXPECT_TRUE(started) << started.error().message;
    }
    static api::HttpServerOptions on_free_port(api::HttpServerOptions options) {
        options.listen = "127.0.0.1:0";
        return options;
    }
    api::HttpServer server;
};

}  // namespace belfry::test
