// A broker's URL that is accepted describes itself without its password, and what describes it is accepted again and
// means the same place. One that is refused says why.
#include "brokers/connection_options.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string about(fuzz::text_of(data, size));
    const auto options = brokers::parse_connection(about);
    if (!options) {
        fuzz::require(!options.error().message.empty() && options.error().field.starts_with("/url"),
                      "a refusal has a reason and a field", about);
        return 0;
    }
    fuzz::require(!options->host.empty() && options->port > 0, "there is a host and a port", about);
    fuzz::require(options->host.find_first_of("/?#@%\\[] \r\n\t") == std::string::npos,
                  "a host holds nothing that ends it", about);
    const auto plain = about.find_first_of("%@") == std::string::npos;
    if (!plain) return 0;
    const auto again = brokers::parse_connection(brokers::describe(*options), {}, Secret("p"));
    fuzz::require(again.has_value() && brokers::describe(*again) == brokers::describe(*options),
                  "its description means the same", about);
    return 0;
}
