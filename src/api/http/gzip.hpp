// Compresses responses for clients that accept it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "api/contract/problem.hpp"
#include "api/http/message.hpp"

namespace belfry::api {

inline constexpr std::size_t kCompressMin = 1024;  // bytes; less fits into one packet anyway

// Compresses the body of a large enough text if the request accepts gzip, and sets the headers. An ETag becomes weak,
// because the bytes differ from those that it names. Streams are not compressed.
void compress(const Request& request, Response& response);

// Whether Accept-Encoding accepts gzip: by name or by `*`, and not with q=0.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

// Rejects a compressed request body: the server does not decompress bodies, because their size would be unbounded.
[[nodiscard]] std::optional<Problem> refuse_encoded_body(const Request& request);

}  // namespace belfry::api
