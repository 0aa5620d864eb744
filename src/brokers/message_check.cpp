#include "brokers/message_check.hpp"

#include "base/net/http_client.hpp"
#include "base/text/ascii.hpp"
#include "brokers/control_characters.hpp"

namespace belfry::brokers {

namespace {

Result<void> check_short(const char* what, std::string_view text) {
    if (text.empty()) return invalid(std::string("the message has no ") + what);
    if (text.size() > kShortTextMax)
        return invalid(std::string("the ") + what + " is longer than " + std::to_string(kShortTextMax) + " bytes");
    if (has_control_characters(text)) return invalid(std::string("the ") + what + " has control characters");
    return {};
}

// NATS interprets headers with this prefix as instructions to its server.
Result<void> check_header_name(const std::string& name) {
    if (name.size() > kHeaderNameMax)
        return invalid("a header's name is longer than " + std::to_string(kHeaderNameMax) + " bytes");
    if (lower_case(name).starts_with("nats-"))
        return invalid("the header " + name + " is reserved for NATS: use another name");
    return {};
}

}  // namespace

Result<void> check_message(const Message& message) {
    if (auto checked = check_short("key", message.key); !checked) return checked;
    if (auto checked = check_short("subject", message.subject); !checked) return checked;
    if (auto checked = check_short("content type", message.content_type); !checked) return checked;
    std::size_t bytes = 0;
    for (const auto& header : message.headers) {
        if (auto checked = check_header(header); !checked) return checked;
        if (auto checked = check_header_name(header.first); !checked) return checked;
        bytes += header.first.size() + header.second.size();
    }
    if (bytes > kHeaderBytesMax)
        return invalid("the headers are longer than " + std::to_string(kHeaderBytesMax) + " bytes");
    return {};
}

}  // namespace belfry::brokers
