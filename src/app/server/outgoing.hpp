// Clients for outgoing calls, and the keys that seal secrets in the store, as the settings configure them.
#pragma once

#include "api/auth/issuer_keys.hpp"
#include "app/settings/settings.hpp"
#include "base/crypto/sealing.hpp"
#include "base/net/curl_http_client.hpp"

namespace belfry::app {

// For URLs that tenants configure. REQUIRES: the log outlives the client.
[[nodiscard]] HttpClientOptions outgoing_options(const Settings& settings, const Log* log = nullptr);

// For URLs in the operator's own files: every address is allowed.
[[nodiscard]] HttpClientOptions operators_options(const Settings& settings);

// Fetches a URL, for the keys of token issuers. REQUIRES: the client outlives it.
[[nodiscard]] api::auth::Fetch fetch_with(HttpClient& client, std::stop_token stop = {});

// The file that the settings name. With SQLite the default is a file in the data folder, which is created if missing. A
// store that several servers share has no such default: the error names the setting.
[[nodiscard]] Sealer::Keys sealing_keys(const Settings& settings);

}  // namespace belfry::app
