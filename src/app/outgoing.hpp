// What leaves the server and what is sealed in its store, as the settings say.
#pragma once

#include "api/auth/issuer_keys.hpp"
#include "app/settings.hpp"
#include "base/curl_http_client.hpp"
#include "base/sealing.hpp"

namespace belfry::app {

[[nodiscard]] HttpClientOptions outgoing_options(const Settings& settings);

// For what the operator's own files name: every address may be called.
[[nodiscard]] HttpClientOptions operators_options(const Settings& settings);

// Reads what a URL has, for the keys of token issuers. REQUIRES: the client outlives it.
[[nodiscard]] api::auth::Fetch fetch_with(HttpClient& client);

// The file that the settings name; else, with a file as the store, one in the data folder, which is made when it is missing.
// A store that several servers share has no such place: the error says what to set.
[[nodiscard]] Sealer::Keys sealing_keys(const Settings& settings);

}  // namespace belfry::app
