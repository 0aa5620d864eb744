#include "base/net/curl_http_client.hpp"

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/concurrency/blocking_scope.hpp"
#include "base/net/http_errors.hpp"
#include "base/text/ascii.hpp"

namespace belfry {

namespace {

constexpr std::size_t kIdleHandlesMax = 64;
constexpr std::size_t kAnswerHeadersMax = 32'768;  // bytes of all headers together
constexpr long kConnectionsPerHandle = 4;
constexpr long kConnectionAgeMax = 30;  // seconds of idleness after which a connection is not reused

// One message for both causes, because the author of a URL must not learn which names an internal network knows.
constexpr const char* kNotCallable =
    "the address cannot be called: it is not public or does not resolve; an operator can permit networks with "
    "outgoing_allow";

struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

void add(HeaderList& list, const std::string& line) { list.reset(curl_slist_append(list.release(), line.c_str())); }

HeaderList header_list(const HttpCall& call) {
    HeaderList list;
    // libcurl would add these headers itself; a header of the same name replaces them.
    add(list, "Expect:");
    bool typed = false;
    for (const auto* headers : {&call.headers, &call.own_headers}) {
        for (const auto& [name, value] : *headers) {
            add(list, value.empty() ? name + ";" : name + ": " + value);
            typed = typed || same_ignoring_case(name, "content-type");
        }
    }
    if (!typed) add(list, "Content-Type:");
    return list;
}

std::optional<Address> address_of(const curl_sockaddr& to) {
    Address address;
    if (to.family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &to.addr, sizeof v4);
        address.is_v4 = true;
        std::memcpy(address.bytes.data(), &v4.sin_addr, sizeof v4.sin_addr);
        return address;
    }
    if (to.family != AF_INET6 || to.addrlen < sizeof(sockaddr_in6)) return std::nullopt;
    sockaddr_in6 v6{};
    // libcurl allocates room for the longest kind of address at `addr`.
    std::memcpy(&v6, static_cast<const void*>(&to.addr), sizeof v6);
    std::memcpy(address.bytes.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    return address;
}

// The state of a call in progress, which libcurl's callbacks read and fill.
struct Exchange {
    const HttpCall& call;
    std::span<const Network> permitted;
    HttpAnswer answer = {};
    std::size_t header_bytes = 0;
    bool refused_address = false;
    bool headers_too_long = false;
    bool succeeded = false;  // the status is 2xx
};

curl_socket_t open_socket(void* user, curlsocktype /*purpose*/, curl_sockaddr* to) {
    auto& exchange = *static_cast<Exchange*>(user);
    const auto address = address_of(*to);
    if (!address || !may_call(*address, exchange.permitted)) {
        exchange.refused_address = true;
        return CURL_SOCKET_BAD;
    }
    return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

std::size_t take_header(char* data, std::size_t /*one*/, std::size_t size, void* user) {
    auto& exchange = *static_cast<Exchange*>(user);
    std::string_view line(data, size);
    exchange.header_bytes += size;
    exchange.headers_too_long = exchange.header_bytes > kAnswerHeadersMax;
    if (exchange.headers_too_long) return 0;
    if (line.starts_with("HTTP/")) {
        exchange.answer.headers.clear();  // the earlier headers were of an interim response
        exchange.succeeded = line.substr(std::min(line.size(), line.find(' '))).starts_with(" 2");
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return size;
    auto value = line.substr(colon + 1);
    while (!value.empty() && static_cast<unsigned char>(value.front()) <= ' ') value.remove_prefix(1);
    while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') value.remove_suffix(1);
    exchange.answer.headers.emplace_back(lower_case(line.substr(0, colon)), value);
    return size;
}

std::size_t take_body(char* data, std::size_t /*one*/, std::size_t size, void* user) {
    auto& exchange = *static_cast<Exchange*>(user);
    if (exchange.call.on_body && exchange.succeeded) return exchange.call.on_body({data, size}) ? size : 0;
    const auto room = exchange.call.answer_max - exchange.answer.body.size();
    exchange.answer.body.append(data, std::min(size, room));
    exchange.answer.cut = size > room;
    return exchange.answer.cut ? 0 : size;  // any value other than the size ends the transfer
}

int look_at_stop(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Exchange*>(user)->call.stop.stop_requested() ? 1 : 0;
}

Error away(std::string message) { return {ErrorCode::unavailable, std::move(message)}; }

// Never includes libcurl's detailed message, because it names addresses.
Error error_of(CURLcode code, const Exchange& exchange, HttpAudience audience) {
    if (exchange.refused_address) return away(kNotCallable);
    if (exchange.headers_too_long)
        return away("the headers of the response are longer than " + std::to_string(kAnswerHeadersMax) + " bytes");
    if (exchange.answer.cut)
        return away("the response is longer than " + std::to_string(exchange.call.answer_max) + " bytes");
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return away(audience == HttpAudience::operators ? "the host name does not resolve" : kNotCallable);
        case CURLE_COULDNT_CONNECT: return away("the host does not accept connections");
        case CURLE_OPERATION_TIMEDOUT: return no_answer_within(exchange.call.timeout);
        case CURLE_PEER_FAILED_VERIFICATION:
            return away("the certificate of the host is not trusted, or is for another name");
        case CURLE_SSL_CONNECT_ERROR: return away("the TLS handshake failed");
        case CURLE_SSL_CACERT_BADFILE: return away("cannot read the file of trusted authorities");
        case CURLE_GOT_NOTHING:
        case CURLE_PARTIAL_FILE:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_ERROR: return away("the connection closed before the response was complete");
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY: return away("the response is not HTTP");
        case CURLE_ABORTED_BY_CALLBACK: return away("cancelled: the server is shutting down");
        default: return away(std::string("the call failed: ") + curl_easy_strerror(code));
    }
}

std::string place_of(const Url& url) { return url.host + ":" + std::to_string(url.port); }

Result<void> check_call(const HttpCall& call) {
    if (auto method = check_header({call.method, ""}); !method)
        return invalid(in_quotes(call.method) + " is not an HTTP method");
    for (const auto& header : call.own_headers) {
        if (auto checked = check_header(header); !checked) return checked;
    }
    return check_caller_headers(call.headers);
}

}  // namespace

class CurlHttpClient::Handle {
public:
    Handle() : curl_(curl_easy_init()) {
        if (curl_ == nullptr) std::abort();  // out of memory
    }
    ~Handle() { curl_easy_cleanup(curl_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    [[nodiscard]] Result<HttpAnswer> send(const HttpCall& call, const HttpClientOptions& options) {
        Exchange exchange{.call = call, .permitted = options.permitted};
        place_ = place_of(call.url);
        const auto headers = header_list(call);
        const auto url = format_url(call.url);
        curl_easy_reset(curl_);  // keeps the connections
        set_request(call, url, headers.get());
        set_limits(call);
        set_trust(options);
        set_callbacks(exchange);
        const auto code = perform();
        const bool cut = exchange.answer.cut && call.long_answer == LongAnswer::cut && !exchange.headers_too_long;
        if (exchange.refused_address) tell(options, "the address is not public");
        if (code == CURLE_COULDNT_RESOLVE_HOST) tell(options, "the host name does not resolve");
        if (code != CURLE_OK && !cut) return error_of(code, exchange, options.audience);
        long status = 0;
        curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
        exchange.answer.status = static_cast<int>(status);
        return std::move(exchange.answer);
    }

    // The authority of its last call.
    [[nodiscard]] const std::string& place() const { return place_; }

private:
    // Logs the reason that the author of the URL must not learn.
    void tell(const HttpClientOptions& options, std::string_view reason) const {
        if (options.log != nullptr)
            options.log->info("blocked an outgoing call", {{"reason", reason}, {"place", place_}});
    }

    CURLcode perform() {
        const BlockingScope waiting;
        return curl_easy_perform(curl_);
    }

    template <typename Value>
    void set(CURLoption option, Value value) {
        // An unsupported option would leave a restriction unset.
        if (curl_easy_setopt(curl_, option, value) != CURLE_OK) std::abort();
    }

    void set_request(const HttpCall& call, const std::string& url, curl_slist* headers) {
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        set(CURLOPT_HTTPHEADER, headers);
        set(CURLOPT_USERAGENT, "belfry");
        set(CURLOPT_PATH_AS_IS, 1L);
        if (!call.body.empty() || call.method == "POST" || call.method == "PUT" || call.method == "PATCH") {
            set(CURLOPT_POST, 1L);
            set(CURLOPT_POSTFIELDS, call.body.data());
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
        }
        if (call.method == "HEAD") set(CURLOPT_NOBODY, 1L);
        set(CURLOPT_CUSTOMREQUEST, call.method.c_str());
    }

    void set_limits(const HttpCall& call) {
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, call.timeout.count())));
        set(CURLOPT_CONNECTTIMEOUT_MS,
            static_cast<long>(std::max<std::int64_t>(1, std::min(call.connect_timeout, call.timeout).count())));
        set(CURLOPT_MAXCONNECTS, kConnectionsPerHandle);
        set(CURLOPT_MAXAGE_CONN, kConnectionAgeMax);
        set(CURLOPT_NOSIGNAL, 1L);
    }

    void set_trust(const HttpClientOptions& options) {
        set(CURLOPT_FOLLOWLOCATION, 0L);
        set(CURLOPT_PROXY, "");  // an empty value also disables http_proxy
        set(CURLOPT_NOPROXY, "*");
        set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
        set(CURLOPT_HTTP09_ALLOWED, 0L);
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
        set(CURLOPT_SSL_VERIFYPEER, 1L);
        set(CURLOPT_SSL_VERIFYHOST, 2L);
        set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
        if (!options.authorities.empty()) set(CURLOPT_CAINFO, options.authorities.c_str());
        if (!options.authorities.empty()) set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }

    void set_callbacks(Exchange& exchange) {
        set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
        set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&exchange));
        set(CURLOPT_HEADERFUNCTION, &take_header);
        set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
        set(CURLOPT_WRITEFUNCTION, &take_body);
        set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
        set(CURLOPT_XFERINFOFUNCTION, &look_at_stop);
        set(CURLOPT_XFERINFODATA, static_cast<void*>(&exchange));
        set(CURLOPT_NOPROGRESS, 0L);
    }

    CURL* const curl_;
    std::string place_ = {};
};

CurlHttpClient::CurlHttpClient(HttpClientOptions options) : options_(std::move(options)) {
    static const auto begun = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (begun != CURLE_OK) std::abort();
}

CurlHttpClient::~CurlHttpClient() = default;

Result<void> CurlHttpClient::check(const Url& url) const {
    if (url.address && !may_call(*url.address, options_.permitted)) return Error{ErrorCode::forbidden, kNotCallable};
    return {};
}

Result<HttpAnswer> CurlHttpClient::send(const HttpCall& call) {
    if (auto checked = check_call(call); !checked) return checked.error();
    if (auto permitted = check(call.url); !permitted) return permitted.error();
    auto handle = take(call.url);
    auto answer = handle->send(call, options_);
    give_back(std::move(handle));
    return answer;
}

// Prefers a handle that called the same host last, because its connection is probably open.
std::unique_ptr<CurlHttpClient::Handle> CurlHttpClient::take(const Url& url) {
    const MutexLock lock(mutex_);
    if (idle_.empty()) return std::make_unique<Handle>();
    const auto place = place_of(url);
    const auto same =
        std::ranges::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& each) { return each->place() == place; });
    auto found = same == idle_.rend() ? std::prev(idle_.end()) : std::prev(same.base());
    auto handle = std::move(*found);
    idle_.erase(found);
    return handle;
}

void CurlHttpClient::give_back(std::unique_ptr<Handle> handle) {
    const MutexLock lock(mutex_);
    if (idle_.size() < kIdleHandlesMax) idle_.push_back(std::move(handle));
}

}  // namespace belfry
