#include "api/http/request_parser.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cassert>
#include <functional>
#include <optional>

namespace belfry::api {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr int kVersion10 = 10;                                  // HTTP/1.0, in Beast's notation
constexpr std::size_t kLineEnds = 4;                            // `: ` and the end of the line
constexpr std::size_t kBodyReserveMax = std::size_t{64} << 10;  // of the announced size

std::string_view view_of(string_view text) { return {text.data(), text.size()}; }

// Splits the target into path and query. Also accepts the absolute form of proxies: http://host/path?query.
void split_target(std::string_view target, Request& request) {
    const auto scheme = target.find("://");
    if (scheme != std::string_view::npos && scheme < target.find('/')) {
        target.remove_prefix(std::min(target.find_first_of("/?", scheme + 3), target.size()));
        if (!target.starts_with('/')) request.path = "/";
    }
    const auto question = std::min(target.find('?'), target.size());
    request.path += target.substr(0, question);
    if (question < target.size()) request.query = target.substr(question + 1);
}

Problem malformed(const std::string& what) {
    return {400, "malformed_request", "this is not an HTTP/1.1 request: " + what, {}};
}

}  // namespace

// Fills in a Request as Beast finds its parts.
class RequestParser::Reader : public http::basic_parser<true> {
public:
    explicit Reader(const Limits& limits) : limits_(limits) {
        header_limit(static_cast<std::uint32_t>(limits.header_max));
        body_limit(limits.body_max);
    }

    std::size_t read(std::string_view bytes) {
        eager(is_header_done());
        input_end_ = bytes.data() + bytes.size();
        error_code error;
        const auto used = basic_parser::put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
        if (error == http::error::need_more) return used;
        if (error && !refusal) refusal = problem_of(error);
        return used;
    }

    Request request;
    std::optional<Problem> refusal;
    bool expects_continue = false;
    bool version_10 = false;

private:
    [[nodiscard]] Problem problem_of(const error_code& error) const {
        if (error == http::error::body_limit) {
            return {413,
                    "body_too_large",
                    "the body has more than " + std::to_string(limits_.body_max) + " bytes; send less",
                    {}};
        }
        if (error == http::error::header_limit) {
            return {431,
                    "headers_too_large",
                    "the headers have more than " + std::to_string(limits_.header_max) + " bytes",
                    {}};
        }
        return malformed(error.message());
    }

    void refuse(const std::string& what, error_code& error) {
        refusal = malformed(what);
        error = http::error::bad_field;
    }

    void count(std::size_t bytes, error_code& error) {
        head_bytes_ += bytes;
        // Beast's limit applies to the bytes of one call, so lines that arrive slowly would never reach it.
        if (head_bytes_ > limits_.header_max) error = http::error::header_limit;
    }

    void on_request_impl(http::verb, string_view method, string_view target, int version, error_code& error) override {
        count(method.size() + target.size(), error);
        request.method = view_of(method);
        split_target(view_of(target), request);
        version_10 = version == kVersion10;
    }
    void on_response_impl(int, string_view, int, error_code&) override {}

    void on_field_impl(http::field field, string_view name, string_view value, error_code& error) override {
        count(name.size() + value.size() + kLineEnds, error);
        if (!error && is_folded(name, value))
            return refuse("a header continues on a second line; send it on one", error);
        // Ignore trailers behind a chunked body: credentials are never read from there.
        if (error || is_header_done()) return;
        if (field == http::field::host && ++hosts_ > 1) return refuse("there is more than one Host", error);
        // Also when both are the same, as in one value with a comma: a proxy in front may have removed one of them.
        if (field == http::field::content_length && (++lengths_ > 1 || value.find(',') != string_view::npos)) {
            return refuse("there is more than one Content-Length", error);
        }
        if (field == http::field::unknown && same_ignoring_case(view_of(name), kTenantHeader) && ++tenants_ > 1) {
            return refuse("there is more than one " + std::string(kTenantHeader), error);
        }
        if (field == http::field::transfer_encoding && (version_10 || !same_ignoring_case(view_of(value), "chunked"))) {
            return refuse("a Transfer-Encoding other than chunked, or in HTTP/1.0", error);
        }
        if (field == http::field::expect) expects_continue = same_ignoring_case(view_of(value), "100-continue");
        request.headers.emplace_back(view_of(name), view_of(value));
    }

    void on_header_impl(error_code& error) override {
        if (!version_10 && hosts_ == 0) return refuse("there is no Host", error);
        expects_continue = expects_continue && !version_10;
    }

    void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
        request.body.reserve(std::min(static_cast<std::size_t>(length.value_or(0)), kBodyReserveMax));
    }
    std::size_t on_body_impl(string_view body, error_code&) override {
        request.body += view_of(body);
        return body.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
        request.body += view_of(body);
        return body.size();
    }
    void on_finish_impl(error_code&) override {}

    // Beast joins the lines: then the value is a copy, or a line end stands between it and the name.
    [[nodiscard]] bool is_folded(string_view name, string_view value) const {
        const char* const name_end = name.data() + name.size();
        if (std::less<>()(value.data(), name_end) || std::less<>()(input_end_, value.data())) return true;
        return std::find(name_end, value.data(), '\n') != value.data();
    }

    Limits limits_;
    const char* input_end_ = nullptr;  // of the bytes that are being read
    std::size_t head_bytes_ = 0;
    int hosts_ = 0;
    int lengths_ = 0;
    int tenants_ = 0;
};

RequestParser::RequestParser(Limits limits) : limits_(limits) { reset(); }
RequestParser::~RequestParser() = default;

void RequestParser::reset() { reader_ = std::make_unique<Reader>(limits_); }

std::size_t RequestParser::put(std::string_view bytes) {
    assert(progress() == Progress::head || progress() == Progress::body);
    return reader_->read(bytes);
}

RequestParser::Progress RequestParser::progress() const {
    if (reader_->refusal) return Progress::refused;
    if (reader_->is_done()) return Progress::complete;
    return reader_->is_header_done() ? Progress::body : Progress::head;
}

const Problem& RequestParser::refusal() const { return *reader_->refusal; }
bool RequestParser::expects_continue() const { return reader_->expects_continue; }
bool RequestParser::keeps_alive() const { return reader_->keep_alive(); }
bool RequestParser::is_version_10() const { return reader_->version_10; }
Request& RequestParser::request() { return reader_->request; }
std::size_t RequestParser::body_bytes() const {
    return static_cast<std::size_t>(reader_->content_length().value_or(reader_->request.body.capacity()));
}
void RequestParser::reserve_body() {
    reader_->request.body.reserve(static_cast<std::size_t>(reader_->content_length().value_or(0)));
}
Request RequestParser::take() { return std::move(reader_->request); }

}  // namespace belfry::api
