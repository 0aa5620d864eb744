// The secret that signs the calls of http tasks with `signed`, one per tenant and not stored. It is derived from the
// server's secret key and the tenant's name, so all servers of a cluster have the same. Thread-safe.
//
// With a new key in front of the old ones, calls have a signature for every key, so a receiver can switch at any
// time.
#pragma once

#include <string>
#include <vector>

#include "base/crypto/sealing.hpp"

namespace belfry::engine {

// `whsec_…`, of the newest key: receivers verify signatures with it.
[[nodiscard]] Result<std::string> task_signing_secret(Sealer& sealer, const std::string& tenant);

// The bytes of all keys, newest first.
[[nodiscard]] Result<std::vector<std::string>> task_signing_keys(Sealer& sealer, const std::string& tenant);

}  // namespace belfry::engine
