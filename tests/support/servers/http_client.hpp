// A blocking HTTP/1.1 client on one connection to 127.0.0.1, as small as tests need it. Every wait has a deadline,
// after which it gives up as if the connection were closed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/message.hpp"

namespace belfry::test {

class HttpClient {
public:
    // What cannot connect ends the program: there is nothing to test then.
    explicit HttpClient(unsigned short port, const char* from = "127.0.0.1");
    virtual ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // A request with its answer; status 0 when the connection ended before. A body is sent as JSON unless the headers
    // say something else.
    api::Response request(const std::string& method, const std::string& target, const std::string& body = {},
                          const std::vector<api::Header>& headers = {});

    // Bytes as they are, and the next answer. False: the other side has had enough.
    bool send(std::string_view bytes);
    std::optional<api::Response> read_answer(bool head = false);

    // Says that nothing more will be sent, as a client that has left does; still reads.
    void end_sending();

    // The next chunk of an answer without an end; the last one is empty. Nothing when the connection ended before.
    std::optional<std::string> read_chunk();

    // Waits for bytes of the next answer and keeps them for it; false when the connection ended before.
    bool receive();

    // Everything until the connection ends.
    std::string read_rest();

    // Waits until the other side closes the connection; false when the deadline comes first.
    [[nodiscard]] bool is_closed_by_peer();

protected:
    [[nodiscard]] int socket() const { return socket_; }

private:
    // As send() and recv() do it.
    virtual long write_some(std::string_view bytes);
    virtual long read_some(std::string& into);

    int socket_ = -1;
    bool timed_out_ = false;
    std::string buffer_;
};

// Whether somebody listens there.
[[nodiscard]] bool accepts_connections(unsigned short port);

}  // namespace belfry::test
