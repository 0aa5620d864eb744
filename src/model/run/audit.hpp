// The audit chain. Every event of a schedule carries a hash of itself and of the previous hash. An event that is
// changed, removed or inserted later breaks the chain from there on. Pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/run/event.hpp"

namespace belfry::model {

// 32 bytes; empty before the first event.
using ChainHash = std::string;

// The hash of an event that follows `previous`. `payload` is its JSON text exactly as stored.
[[nodiscard]] ChainHash chain_hash(const ChainHash& previous, std::string_view schedule_id, const Event& event,
                                   std::string_view payload);

}  // namespace belfry::model
