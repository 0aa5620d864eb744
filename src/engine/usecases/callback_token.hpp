// The token with which the receiver of a task reports its status. It is valid for one task of one run of one tenant
// and is not stored. It is derived from the server's secret key, so all servers of a cluster accept it. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/crypto/sealing.hpp"

namespace belfry::engine {

[[nodiscard]] Result<std::string> callback_token(Sealer& sealer, const std::string& tenant, const std::string& run_id,
                                                 const std::string& node);
// Accepts tokens of every key that the server still has.
[[nodiscard]] Result<bool> is_callback_token(Sealer& sealer, std::string_view token, const std::string& tenant,
                                             const std::string& run_id, const std::string& node);

}  // namespace belfry::engine
