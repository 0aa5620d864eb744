#include "engine/outgoing/task_headers.hpp"

#include "base/crypto/sha256.hpp"

namespace belfry::engine {

namespace {

// Escapes characters that are allowed in schedule names but not in headers.
std::string header_text(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string escaped;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > ' ' && byte < 0x7f && c != '%') {
            escaped += c;
        } else {
            escaped += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
        }
    }
    return escaped;
}

}  // namespace

// W3C Trace Context. The trace id is derived from the run and the span id from the attempt, so neither is stored.
std::string traceparent(const model::Task& task) {
    constexpr std::size_t kTraceDigits = 32;
    constexpr std::size_t kSpanDigits = 16;
    const auto span = task.run_id + ":" + task.node + ":" + std::to_string(task.attempt);
    return "00-" + sha256_hex(task.run_id).substr(0, kTraceDigits) + "-" + sha256_hex(span).substr(0, kSpanDigits) +
           "-01";
}

std::vector<HttpHeader> task_headers(const model::Task& task) {
    std::vector<HttpHeader> headers{{"Idempotency-Key", task.idempotency_key},
                                    {"belfry-run-id", task.run_id},
                                    {"belfry-schedule", header_text(task.schedule_name)},
                                    {"belfry-scheduled-at", format_instant(task.slot.occurrence)},
                                    {"belfry-attempt", std::to_string(task.attempt)}};
    if (!task.node.empty()) headers.emplace_back("belfry-node", task.node);
    return headers;
}

}  // namespace belfry::engine
