// HTTP requests: no bytes break the parser, however they arrive, and what is a request gets an answer that stays one
// answer.
//
// The first byte says in pieces of how many bytes the others arrive.
#include <algorithm>

#include "api/contract/router.hpp"
#include "api/http/browser_guard.hpp"
#include "api/http/request_parser.hpp"
#include "api/http/response_head.hpp"
#include "api/http/response_pipeline.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;
using api::RequestParser;
using Progress = RequestParser::Progress;

namespace {

constexpr RequestParser::Limits kLimits{.header_max = 2'000, .body_max = 4'000};

// What came of the bytes: the requests, and how the last one was left.
struct Outcome {
    std::vector<api::Request> requests;
    Progress last = Progress::head;
    int refused = 0;  // the status
};

Outcome parse(std::string_view bytes, std::size_t piece) {
    Outcome outcome;
    RequestParser parser(kLimits);
    std::string waiting;
    while (true) {
        const auto used = waiting.empty() ? 0 : parser.put(waiting);
        fuzz::require(used <= waiting.size(), "no more bytes are used than there are");
        waiting.erase(0, used);
        outcome.last = parser.progress();
        if (outcome.last == Progress::refused) {
            outcome.refused = parser.refusal().status;
            fuzz::require(outcome.refused == 400 || outcome.refused == 413 || outcome.refused == 431,
                          "a refusal has one of three reasons");
            return outcome;
        }
        if (outcome.last == Progress::complete) {
            outcome.requests.push_back(parser.take());
            parser.reset();
            if (!waiting.empty()) continue;
        } else if (used > 0 && !waiting.empty()) {
            continue;
        }
        if (bytes.empty()) return outcome;
        const auto some = std::min(piece, bytes.size());
        waiting += bytes.substr(0, some);
        bytes.remove_prefix(some);
    }
}

void check_request(const api::Request& request) {
    fuzz::require(!request.method.empty(), "a request has a method");
    fuzz::require(request.body.size() <= kLimits.body_max, "a body keeps its limit");
    std::size_t head = 0;
    for (const auto& [name, value] : request.headers) {
        head += name.size() + value.size();
        fuzz::require((name + value).find_first_of("\r\n") == std::string::npos, "a header is one line",
                      name + ": " + value);
    }
    fuzz::require(head <= kLimits.header_max, "a head keeps its limit");
}

api::Route route(const std::string& method, api::ShapePtr body) {
    return {.method = method,
            .pattern = "/things/{thing}",
            .operation = "do",
            .summary = "Does.",
            .permission = model::Permission::open,
            .query = {{"limit", api::integer(1, 5), "How many."}, {"from", api::instant(), "From when."}},
            .body = std::move(body),
            .answers = {{.status = 200, .media = "text/plain"}},
            .handler = [](const api::Call& call) -> Result<api::Response> {
                const std::string echo(call.request.header("X-Echo"));
                return api::Response{200, {{"X-Echo", echo}, {"Content-Type", "text/plain"}}, call.at("thing")};
            }};
}

// One answer whatever the request says: the blank line that ends its head is the only one.
void check_answer(api::Request request) {
    static const api::Router router({route("GET", {}), route("POST", api::map_of(api::anything()))});
    static api::ResponsePipeline pipeline([](const api::Request& one) { return router.handle(one); },
                                          {.secure = true, .streams_max = 1});
    static const api::BrowserRules rules{.listen = "127.0.0.1:8642", .allowed_hosts = {"belfry.example"}};
    (void)api::refuse_browser(request, rules);
    const auto response = pipeline.answer(request);
    const auto head =
        api::response_head(response, api::Framing::length, {}) + std::string(api::last_lines(true, false));
    fuzz::require(head.find("\r\n\r\n") == head.size() - 4, "a head ends once", head);
    fuzz::require(std::count(head.begin(), head.end(), '\n') == std::count(head.begin(), head.end(), '\r'),
                  "lines end as they should", head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto bytes = fuzz::text_of(data + 1, size - 1);
    const auto whole = parse(bytes, bytes.size());
    const auto pieces = parse(bytes, std::max<std::size_t>(1, data[0]));
    for (const auto& request : whole.requests) check_request(request);
    fuzz::require(whole.requests.size() == pieces.requests.size() || whole.refused == 431 || pieces.refused == 431,
                  "pieces make the same requests");
    for (std::size_t i = 0; i < std::min(whole.requests.size(), pieces.requests.size()); ++i) {
        const auto& one = whole.requests[i];
        const auto& other = pieces.requests[i];
        fuzz::require(one.method == other.method && one.path == other.path && one.query == other.query &&
                          one.headers == other.headers && one.body == other.body,
                      "a request is the same however it arrives");
        check_answer(one);
    }
    return 0;
}
