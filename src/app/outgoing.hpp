// What leaves the server and what is sealed in its store, as the settings say.
#pragma once

#include "app/settings.hpp"
#include "base/curl_http_client.hpp"
#include "base/sealing.hpp"

namespace belfry::app {

[[nodiscard]] HttpClientOptions outgoing_options(const Settings& settings);

// The file that the settings name; else, with a file as the store, one in the data folder, which is made when it is missing.
// A store that several servers share has no such place: the error says what to set.
[[nodiscard]] Sealer::Keys sealing_keys(const Settings& settings);

}  // namespace belfry::app
