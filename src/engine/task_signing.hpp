// What signs the calls of http tasks that ask for it: a secret of the tenant that is kept nowhere. It follows from the server's
// secret key and the tenant's name, so all servers of a cluster have the same. Thread-safe.
//
// With a new key in front of the old ones, calls carry a signature for every key: a receiver changes over when it likes.
#pragma once

#include <string>
#include <vector>

#include "base/sealing.hpp"

namespace belfry::engine {

// `whsec_…`, of the newest key: what a receiver checks signatures with.
[[nodiscard]] Result<std::string> task_signing_secret(Sealer& sealer, const std::string& tenant);

// The bytes of all of them, the newest first.
[[nodiscard]] Result<std::vector<std::string>> task_signing_keys(Sealer& sealer, const std::string& tenant);

}  // namespace belfry::engine
