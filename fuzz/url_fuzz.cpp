// A URL that is accepted has one reading: its canonical text means the same, and its parts hold nothing that could end
// them. An address that parses has one text, and a network that holds it permits it.
#include "base/net/url.hpp"

#include <algorithm>

#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;

namespace {

void check_address(std::string_view text) {
    const auto address = parse_address(text);
    if (!address) return;
    const auto written = format_address(*address);
    fuzz::require(parse_address(written) == address, "the written address means the same", written);
    fuzz::require(may_call(*address, {}) == (kind_of(*address) == AddressKind::public_),
                  "only public addresses may be called", written);
    fuzz::require(!name_of(kind_of(*address)).empty(), "every kind has a name", written);
    const Network all{{.is_v4 = address->is_v4}, 0};
    fuzz::require(contains(all, *address) && may_call(*address, std::span(&all, 1)),
                  "everything is permitted if everything is", written);
    // The same address in its other clothes is no more public than without them.
    if (!address->is_v4) return;
    for (const auto* prefix : {"::ffff:", "64:ff9b::"}) {
        const auto dressed = parse_address(prefix + written);
        fuzz::require(dressed && kind_of(*dressed) == kind_of(*address), "an address is what it hides",
                      prefix + written);
    }
}

void check_network(std::string_view text) {
    const auto network = parse_network(text);
    if (!network) return fuzz::require(!network.error().message.empty(), "a refusal has a reason", std::string(text));
    fuzz::require(contains(*network, network->base), "a network holds its first address", std::string(text));
    fuzz::require(may_call(network->base, std::span(&*network, 1)), "what is permitted may be called",
                  std::string(text));
}

void check_url(std::string_view text) {
    const std::string about(text);
    const auto url = parse_url(text);
    if (!url) return fuzz::require(!url.error().message.empty(), "a refusal has a reason", about);
    fuzz::require(text.size() <= kUrlBytesMax, "a URL is inside its bound", about);
    fuzz::require(!url->host.empty() && url->port > 0, "there is a host and a port", about);
    fuzz::require(url->host.find_first_of("/?#@%\\[] \r\n\t") == std::string::npos, "a host holds nothing that ends it",
                  about);
    fuzz::require(url->address || url->host.find(':') == std::string::npos, "only addresses have colons", about);
    const auto dot = url->host.rfind('.');
    const auto last = url->host.substr(dot == std::string::npos ? 0 : dot + 1);
    const bool number = !last.empty() && std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
    fuzz::require(url->address || !number, "a name does not end in a number", about);
    fuzz::require(url->target.starts_with('/'), "a target begins with a slash", about);
    fuzz::require(std::ranges::all_of(url->target, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; }),
                  "a target is one word", about);
    const auto written = format_url(*url);
    const auto again = parse_url(written);
    // The slash of an empty path, or zeros that an IPv6 address was short of, may make it too long; then it is refused.
    if (!again && written.size() > kUrlBytesMax) return;
    fuzz::require(again.has_value() && *again == *url, "the canonical text means the same", about + " -> " + written);
    fuzz::require(format_url(*again) == written, "there is one canonical text", about + " -> " + written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    check_address(text);
    check_network(text);
    check_url(text);
    return 0;
}
