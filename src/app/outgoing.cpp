#include "app/outgoing.hpp"

#include "app/data_folder.hpp"
#include "app/store_opening.hpp"

namespace belfry::app {

HttpClientOptions outgoing_options(const Settings& settings) {
    return {.permitted = settings.outgoing_allow, .authorities = settings.outgoing_ca_file};
}

Sealer::Keys sealing_keys(const Settings& settings) {
    if (!settings.secret_key_file.empty()) return [path = settings.secret_key_file] { return read_sealing_keys(path, MissingKeyFile::refuse); };
    if (is_remote(settings)) {
        return []() -> Result<std::vector<SealingKey>> {
            return Error{
                ErrorCode::unavailable,
                "secrets cannot be kept yet: set secret_key_file to a file with 32 random bytes (openssl rand -base64 32), the same on every server"};
        };
    }
    return [folder = settings.data_dir]() -> Result<std::vector<SealingKey>> {
        if (auto made = make_data_folder(folder); !made) return made.error();
        return read_sealing_keys(folder + "/secret.key", MissingKeyFile::make);
    };
}

}  // namespace belfry::app
