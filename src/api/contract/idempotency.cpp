#include "api/contract/idempotency.hpp"

#include <algorithm>

#include "base/crypto/sha256.hpp"

namespace belfry::api {

namespace {

bool is_key(std::string_view text) {
    return text.size() <= model::kRequestKeyMax &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::optional<Error> check_request_key(std::string_view key) {
    if (!key.empty() && is_key(key)) return std::nullopt;
    return invalid("use 1 to " + std::to_string(model::kRequestKeyMax) +
                   " visible ASCII characters without blanks, for example a UUID");
}

Result<model::CommandContext> context_once(const Call& call, std::string reason) {
    auto context = call.context(std::move(reason));
    const auto key = call.request.header(model::kRequestKeyField);
    if (key.empty()) return context;
    if (auto error = check_request_key(key)) return in_field(*error, model::kRequestKeyField);
    // What identifies the request. Its other headers are not included, because a proxy may change them.
    const auto what =
        call.request.method + '\n' + call.request.path + '\n' + call.request.query + '\n' + call.request.body;
    context.request = model::RequestKey{std::string(key), sha256_hex(what)};
    return context;
}

Response replayed(Response response, bool repeated) {
    if (repeated) response.headers.emplace_back("Idempotency-Replayed", "true");
    return response;
}

Member idempotency_key_header() {
    return {model::kRequestKeyField, text(static_cast<std::int64_t>(model::kRequestKeyMax)),
            "Unique key for this request. If the client sends the request again with the same key, it takes effect "
            "once and returns the same response."};
}

}  // namespace belfry::api
