// IPv4 and IPv6 addresses as numbers, their purposes, and which of them the server may call. Pure.
//
// An address can hide another one: `::ffff:127.0.0.1`, `64:ff9b::7f00:1` and `2002:7f00:1::` all lead to 127.0.0.1. The
// hidden address decides. Texts are never compared, only parsed addresses and those that a resolver returned.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace belfry {

struct Address {
    std::array<std::uint8_t, 16> bytes = {};  // in network order; IPv4 uses the first four, the others are zero
    bool is_v4 = false;
    friend bool operator==(const Address&, const Address&) = default;
};

// Parses dotted decimal (four numbers without leading zeros) or IPv6 without brackets and zone; empty for other
// spellings.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
[[nodiscard]] std::string format_address(const Address& address);

enum class AddressKind : std::uint8_t {
    public_,
    unspecified,    // 0.0.0.0, ::
    this_network,   // the rest of 0.0.0.0/8
    loopback,       // 127.0.0.0/8, ::1
    private_,       // RFC 1918
    carrier_nat,    // 100.64.0.0/10, between a provider and its customers
    link_local,     // 169.254.0.0/16 (with 169.254.169.254, where clouds serve credentials), fe80::/10
    unique_local,   // fc00::/7
    site_local,     // fec0::/10, deprecated
    multicast,      // 224.0.0.0/4, ff00::/8
    broadcast,      // 255.255.255.255
    documentation,  // RFC 5737, RFC 3849, RFC 9637
    benchmarking,   // 198.18.0.0/15, 2001:2::/48
    ietf,           // protocol assignments: 192.0.0.0/24, 2001::/23
    orchid,         // 2001:10::/28, 2001:20::/28: hashes, not locations
    discard,        // 100::/64
    translation,    // 64:ff9b:1::/48: meaning depends on a local translator
    platform,       // 168.63.129.16: a public number at which a cloud serves its own machines
    reserved,       // all other ranges that are not routed
};

// `public`, `link-local`, `carrier NAT`…
[[nodiscard]] std::string_view name_of(AddressKind kind);

// Public only if the address and every address hidden in it are public.
[[nodiscard]] AddressKind kind_of(const Address& address);

// `10.0.0.0/8`
struct Network {
    Address base;
    int prefix = 0;  // number of leading bits that count
    friend bool operator==(const Network&, const Network&) = default;
};

// A bare address is a network of one. Rejects bits after the prefix, because they are probably a mistake.
[[nodiscard]] Result<Network> parse_network(std::string_view text);
// Parses a comma-separated list; blanks around the commas and an empty text are allowed.
[[nodiscard]] Result<std::vector<Network>> parse_networks(std::string_view text);
[[nodiscard]] bool contains(const Network& network, const Address& address);

// Whether the server may call it: it is public, or the operator has permitted it or all addresses hidden in it.
[[nodiscard]] bool may_call(const Address& address, std::span<const Network> permitted);

}  // namespace belfry
