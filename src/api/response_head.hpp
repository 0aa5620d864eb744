// The beginning of an answer as text. Pure, but for the date. Whatever a handler puts into a header, it cannot begin another one.
#pragma once

#include <cstdint>
#include <string>

#include "api/message.hpp"
#include "base/instant.hpp"

namespace belfry::api {

enum class Framing : std::uint8_t {
    length,       // Content-Length
    chunked,      // Transfer-Encoding: chunked
    until_close,  // the end of the connection is the end of the answer: for HTTP/1.0
};

// All lines but the last: whether the connection goes on is decided when it is written.
[[nodiscard]] std::string response_head(const Response& response, Framing framing, Instant now);

// Whether an answer of that status may have one: bytes behind a 204 would be read as the next answer.
[[nodiscard]] bool has_body(int status);

// Ends a head. `say_keep_alive`: to a client of HTTP/1.0, which takes a connection's end for granted.
[[nodiscard]] std::string_view last_lines(bool keeps_alive, bool say_keep_alive);

}  // namespace belfry::api
