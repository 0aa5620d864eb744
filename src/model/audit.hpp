// The audit chain: every event of a schedule carries a hash of itself and of the hash before it, so that nobody can change,
// remove or slip in one without breaking all that follow. Pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/event.hpp"

namespace belfry::model {

// 32 bytes; empty before the first event.
using ChainHash = std::string;

// The hash of an event after `previous`. `payload` is its JSON text, exactly as it is stored.
[[nodiscard]] ChainHash chain_hash(const ChainHash& previous, std::string_view schedule_id, const Event& event, std::string_view payload);

}  // namespace belfry::model
