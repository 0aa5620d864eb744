// Parses bytes into a Request, or into a refusal with its reason. It uses no socket and no clock: it bounds what a
// client may send, but not how long that takes.
//
// It is stricter than HTTP requires where two parsers could disagree about the end of a request: a proxy in front must
// see the same requests as this server.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "api/contract/problem.hpp"
#include "api/http/message.hpp"

namespace belfry::api {

class RequestParser {
public:
    struct Limits {
        std::size_t header_max = std::size_t{16} << 10;
        std::size_t body_max = std::size_t{2} << 20;
    };
    enum class Progress : std::uint8_t { head, body, complete, refused };

    explicit RequestParser(Limits limits);
    ~RequestParser();
    RequestParser(const RequestParser&) = delete;
    RequestParser& operator=(const RequestParser&) = delete;

    // Starts the next request.
    void reset();

    // Consumes bytes and returns how many. The rest belongs to the next request when this one is complete; otherwise
    // the caller must pass it again, followed by more. Stops once where the body begins.
    [[nodiscard]] std::size_t put(std::string_view bytes);

    [[nodiscard]] Progress progress() const;
    [[nodiscard]] const Problem& refusal() const;

    // Available from the end of the head on.
    [[nodiscard]] bool expects_continue() const;
    [[nodiscard]] bool keeps_alive() const;
    [[nodiscard]] bool is_version_10() const;
    // The partial request: the head, and the part of the body that has arrived.
    [[nodiscard]] Request& request();
    // Bytes that the body takes in memory: all of them when the client has announced the size, otherwise those that
    // have arrived.
    [[nodiscard]] std::size_t body_bytes() const;
    // Reserves memory for the announced size. Without it, the memory grows as the body arrives.
    void reserve_body();

    // REQUIRES: the request is complete. Call it once.
    [[nodiscard]] Request take();

private:
    class Reader;  // keeps Beast out of this header
    std::unique_ptr<Reader> reader_;
    Limits limits_;
};

}  // namespace belfry::api
