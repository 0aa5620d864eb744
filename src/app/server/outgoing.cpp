#include "app/server/outgoing.hpp"

#include "app/server/data_folder.hpp"
#include "app/server/store_opening.hpp"

namespace belfry::app {

namespace {
constexpr std::size_t kKeySetMax = std::size_t{1} << 20U;  // bytes of an issuer's key set
}

HttpClientOptions outgoing_options(const Settings& settings, const Log* log) {
    return {.permitted = settings.outgoing_allow, .authorities = settings.outgoing_ca_file, .log = log};
}

HttpClientOptions operators_options(const Settings& settings) {
    return {.permitted = parse_networks("0.0.0.0/0, ::/0").value(),
            .authorities = settings.outgoing_ca_file,
            .audience = HttpAudience::operators};
}

Sealer::Keys sealing_keys(const Settings& settings) {
    if (!settings.secret_key_file.empty())
        return [path = settings.secret_key_file] { return read_sealing_keys(path, MissingKeyFile::refuse); };
    if (is_remote(settings)) {
        return []() -> Result<std::vector<SealingKey>> {
            return Error{ErrorCode::unavailable,
                         "cannot store secrets: set secret_key_file to a file with 32 random bytes (openssl rand "
                         "-base64 32), the same on every server"};
        };
    }
    return [folder = settings.data_dir]() -> Result<std::vector<SealingKey>> {
        if (auto made = make_data_folder(folder); !made) return made.error();
        return read_sealing_keys(folder + "/secret.key", MissingKeyFile::make);
    };
}

api::auth::Fetch fetch_with(HttpClient& client, std::stop_token stop) {
    return [&client, stop = std::move(stop)](const std::string& address) -> Result<std::string> {
        auto url = parse_url(address);
        if (!url) return url.error();
        auto answer = client.send({.url = std::move(*url), .answer_max = kKeySetMax, .stop = stop});
        if (!answer) return answer.error();
        if (answer->status != 200)
            return Error{ErrorCode::unavailable, "the response has status " + std::to_string(answer->status)};
        return std::move(answer->body);
    };
}

}  // namespace belfry::app
