#include "decide/plan.hpp"

namespace belfry::decide {

// RFC 9562, version 8 (free form) and variant 10: the first 122 bits of the key, with those two marks in place.
std::string run_id(std::string_view schedule_id, const model::RunSlot& slot) {
    auto hex = model::idempotency_key(schedule_id, slot).substr(0, 32);
    hex[12] = '8';
    hex[16] = "89ab"[(hex[16] >= 'a' ? hex[16] - 'a' + 10 : hex[16] - '0') & 3];
    for (const auto position : {8U, 13U, 18U, 23U}) hex.insert(position, 1, '-');
    return hex;
}

}  // namespace belfry::decide
