// Answers made smaller for clients that ask for it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "api/message.hpp"
#include "api/problem.hpp"

namespace belfry::api {

inline constexpr std::size_t kCompressMin = 1024;  // bytes; less fits a packet anyway

// Compresses the body of a text that is worth it when the request allows gzip, and says so in the headers. An ETag becomes a weak
// one: the bytes differ from those that it names. Answers without an end stay as they are.
void compress(const Request& request, Response& response);

// Whether Accept-Encoding asks for gzip: by its name or by `*`, and not with q=0.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

// Bodies of requests are read as they come: a compressed one would be garbage, or grow without a bound.
[[nodiscard]] std::optional<Problem> refuse_encoded_body(const Request& request);

}  // namespace belfry::api
