// Writes the head of a response as text. Pure, except for the date. A handler cannot inject a header through the value
// of another.
#pragma once

#include <cstdint>
#include <string>

#include "api/http/message.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

enum class Framing : std::uint8_t {
    length,       // Content-Length
    chunked,      // Transfer-Encoding: chunked
    until_close,  // the response ends with the connection: for HTTP/1.0
};

// All lines but the last: whether the connection stays open is decided when the response is written.
[[nodiscard]] std::string response_head(const Response& response, Framing framing, Instant now);

// Whether a response with that status may have a body: bytes after a 204 would be read as the next response.
[[nodiscard]] bool has_body(int status);

// Ends a head. `say_keep_alive` is for HTTP/1.0 clients, which otherwise expect the connection to close.
[[nodiscard]] std::string_view last_lines(bool keeps_alive, bool say_keep_alive);

}  // namespace belfry::api
