// Bytes that came from anywhere become a Request, or a refusal that says why. No socket, no clock: what a client may send is
// bounded here, how long it may take is not.
//
// Stricter than HTTP asks for where two readers could disagree about where a request ends: the proxy in front must see the
// same requests as we do.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "api/message.hpp"
#include "api/problem.hpp"

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

    // Begins with another request.
    void reset();

    // Takes what it can use and says how many bytes that were. The others belong to the next request when this one is
    // complete; otherwise they are to come again, with more behind them. Stops once where the body begins.
    [[nodiscard]] std::size_t put(std::string_view bytes);

    [[nodiscard]] Progress progress() const;
    [[nodiscard]] const Problem& refusal() const;

    // From the end of the head on.
    [[nodiscard]] bool expects_continue() const;
    [[nodiscard]] bool keeps_alive() const;
    [[nodiscard]] bool is_version_10() const;

    // REQUIRES: it is complete. Once.
    [[nodiscard]] Request take();

private:
    class Reader;  // keeps Beast out of here
    std::unique_ptr<Reader> reader_;
    Limits limits_;
};

}  // namespace belfry::api
