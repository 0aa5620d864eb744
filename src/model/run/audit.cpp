#include "model/run/audit.hpp"

#include "base/crypto/sha256.hpp"

namespace belfry::model {

// A length precedes every part of variable content, so that no two events give the same text.
ChainHash chain_hash(const ChainHash& previous, std::string_view schedule_id, const Event& event,
                     std::string_view payload) {
    std::string text;
    text.reserve(previous.size() + schedule_id.size() + payload.size() + 100);
    text += previous;
    const auto add = [&text](std::string_view part) {
        text += ':';
        text += std::to_string(part.size());
        text += ':';
        text += part;
    };
    add(schedule_id);
    add(std::to_string(event.sequence));
    add(name_of(event.type));
    add(std::to_string(epoch_us(event.recorded_at)));
    add(payload);
    return sha256_bytes(text);
}

}  // namespace belfry::model
