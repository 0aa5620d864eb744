#include "base/net/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <initializer_list>

#include "base/text/ascii.hpp"
#include "base/text/enum_names.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry {

namespace {

using enum AddressKind;

constexpr int kV4Bits = 32;
constexpr int kV6Bits = 128;
constexpr std::size_t kAddressTextMax = 45;  // an IPv6 address that ends in dotted decimal

constexpr std::array kNames{
    EnumName{public_, "public"},
    EnumName{unspecified, "unspecified"},
    EnumName{this_network, "this network"},
    EnumName{loopback, "loopback"},
    EnumName{private_, "private"},
    EnumName{carrier_nat, "carrier NAT"},
    EnumName{link_local, "link-local"},
    EnumName{unique_local, "unique local"},
    EnumName{site_local, "site-local"},
    EnumName{multicast, "multicast"},
    EnumName{broadcast, "broadcast"},
    EnumName{documentation, "documentation"},
    EnumName{benchmarking, "benchmarking"},
    EnumName{ietf, "IETF"},
    EnumName{orchid, "ORCHID"},
    EnumName{discard, "discard"},
    EnumName{translation, "translation"},
    EnumName{platform, "platform"},
    EnumName{reserved, "reserved"},
};

constexpr Network v4(std::initializer_list<std::uint8_t> bytes, int prefix) {
    Network network{{.is_v4 = true}, prefix};
    std::ranges::copy(bytes, network.base.bytes.begin());
    return network;
}

constexpr Network v6(std::initializer_list<std::uint16_t> groups, int prefix) {
    Network network{{}, prefix};
    auto* to = network.base.bytes.data();
    for (const auto group : groups) {
        *to++ = static_cast<std::uint8_t>(group >> 8U);
        *to++ = static_cast<std::uint8_t>(group & 0xFFU);
    }
    return network;
}

struct Range {
    Network network;
    AddressKind kind;
};

// The first match decides. From IANA's special-purpose address registries. Where they list a part of a range as
// reachable (192.0.0.9, 2001:1::1), no web server exists there, so the whole range is rejected.
constexpr std::array kV4Ranges{
    Range{v4({0, 0, 0, 0}, 32), unspecified},
    Range{v4({0}, 8), this_network},
    Range{v4({10}, 8), private_},
    Range{v4({100, 64}, 10), carrier_nat},
    Range{v4({127}, 8), loopback},
    Range{v4({168, 63, 129, 16}, 32), platform},
    Range{v4({169, 254}, 16), link_local},
    Range{v4({172, 16}, 12), private_},
    Range{v4({192, 0, 0}, 24), ietf},
    Range{v4({192, 0, 2}, 24), documentation},
    Range{v4({192, 88, 99}, 24), reserved},  // 6to4 relays, withdrawn
    Range{v4({192, 168}, 16), private_},
    Range{v4({198, 18}, 15), benchmarking},
    Range{v4({198, 51, 100}, 24), documentation},
    Range{v4({203, 0, 113}, 24), documentation},
    Range{v4({224}, 4), multicast},
    Range{v4({255, 255, 255, 255}, 32), broadcast},
    Range{v4({240}, 4), reserved},
};

constexpr auto kMapped = v6({0, 0, 0, 0, 0, 0xffff}, 96);
constexpr auto kCompatible = v6({}, 96);
constexpr auto kTranslated = v6({0, 0, 0, 0, 0xffff}, 96);  // SIIT, ::ffff:0:a.b.c.d
constexpr auto kNat64 = v6({0x64, 0xff9b}, 96);
constexpr auto kTeredo = v6({0x2001, 0}, 32);
constexpr auto k6to4 = v6({0x2002}, 16);

// Anything else is reserved: so far only 2000::/3 is allocated.
constexpr std::array kV6Ranges{
    Range{v6({}, 128), unspecified},
    Range{v6({0, 0, 0, 0, 0, 0, 0, 1}, 128), loopback},
    Range{kMapped, public_},  // for these four, the hidden address decides
    Range{kNat64, public_},
    Range{kTeredo, public_},
    Range{k6to4, public_},
    Range{v6({0x64, 0xff9b, 1}, 48), translation},
    Range{v6({0x100}, 64), discard},
    Range{v6({0x2001, 2}, 48), benchmarking},
    Range{v6({0x2001, 0x10}, 28), orchid},
    Range{v6({0x2001, 0x20}, 28), orchid},
    Range{v6({0x2001, 0}, 23), ietf},
    Range{v6({0x2001, 0xdb8}, 32), documentation},
    Range{v6({0x3ffe}, 16), reserved},  // the 6bone, returned
    Range{v6({0x3fff}, 20), documentation},
    Range{v6({0x2000}, 3), public_},
    Range{v6({0xfc00}, 7), unique_local},
    Range{v6({0xfe80}, 10), link_local},
    Range{v6({0xfec0}, 10), site_local},
    Range{v6({0xff00}, 8), multicast},
};

AddressKind find_kind(std::span<const Range> ranges, const Address& address, AddressKind otherwise) {
    const auto found =
        std::ranges::find_if(ranges, [&](const Range& range) { return contains(range.network, address); });
    return found == ranges.end() ? otherwise : found->kind;
}

AddressKind own_kind(const Address& address) {
    return address.is_v4 ? find_kind(kV4Ranges, address, public_) : find_kind(kV6Ranges, address, reserved);
}

Address v4_inside(const Address& address, std::size_t at, std::uint8_t flip = 0) {
    Address found{.is_v4 = true};
    for (std::size_t i = 0; i < 4; ++i) found.bytes[i] = address.bytes[at + i] ^ flip;
    return found;
}

// The IPv4 addresses at which packets to this address arrive, or through which they pass.
std::vector<Address> hidden_in(const Address& address) {
    if (address.is_v4) return {};
    if (contains(k6to4, address)) return {v4_inside(address, 2)};
    if (contains(kTeredo, address))
        return {v4_inside(address, 12, 0xFF), v4_inside(address, 4)};  // client, inverted; server
    for (const auto& network : {kMapped, kNat64, kTranslated, kCompatible}) {
        if (contains(network, address)) return {v4_inside(address, 12)};
    }
    return {};
}

bool is_permitted(const Address& address, std::span<const Network> permitted) {
    return std::ranges::any_of(permitted, [&](const Network& network) { return contains(network, address); });
}

Network masked(Network network) {
    for (std::size_t i = 0; i < network.base.bytes.size(); ++i) {
        const int bits = std::clamp(network.prefix - static_cast<int>(i) * 8, 0, 8);
        network.base.bytes[i] &= static_cast<std::uint8_t>(0xFF00U >> static_cast<unsigned>(bits));
    }
    return network;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
    if (text.size() > kAddressTextMax || text.find('\0') != std::string_view::npos) return std::nullopt;
    const std::string terminated(text);
    Address address;
    address.is_v4 = ::inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1;
    if (address.is_v4 || ::inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
    return std::nullopt;
}

std::string format_address(const Address& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(address.is_v4 ? AF_INET : AF_INET6, address.bytes.data(), text.data(), text.size());
    return text.data();
}

std::string_view name_of(AddressKind kind) { return canonical_name<AddressKind>(kNames, kind); }

AddressKind kind_of(const Address& address) {
    const auto own = own_kind(address);
    if (own == unspecified || own == loopback) return own;  // :: and ::1 are in ::/96 and hide nothing
    for (const auto& hidden : hidden_in(address)) {
        if (const auto kind = own_kind(hidden); kind != public_) return kind;
    }
    return own;
}

Result<Network> parse_network(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = parse_address(text.substr(0, slash));
    if (!address) return invalid(in_quotes(text) + " is not a network: use a form such as 10.0.0.0/8 or fd00::/8");
    const int bits = address->is_v4 ? kV4Bits : kV6Bits;
    const auto prefix =
        slash == std::string_view::npos ? std::optional<std::int64_t>(bits) : parse_integer(text.substr(slash + 1));
    if (!prefix || *prefix < 0 || *prefix > bits)
        return invalid(in_quotes(text) + ": after the slash use a number from 0 to " + std::to_string(bits));
    const Network network{*address, static_cast<int>(*prefix)};
    const auto meant = masked(network);
    if (meant != network) {
        return invalid(in_quotes(text) + " has bits after the first " + std::to_string(*prefix) + ": did you mean " +
                       format_address(meant.base) + "/" + std::to_string(*prefix) + "?");
    }
    return network;
}

Result<std::vector<Network>> parse_networks(std::string_view text) {
    std::vector<Network> networks;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        auto part = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (!part.empty() && is_blank(part.front())) part.remove_prefix(1);
        while (!part.empty() && is_blank(part.back())) part.remove_suffix(1);
        const auto network = parse_network(part);
        if (!network) return network.error();
        networks.push_back(*network);
    }
    return networks;
}

bool contains(const Network& network, const Address& address) {
    if (network.base.is_v4 != address.is_v4) return false;
    return masked({address, network.prefix}).base == network.base;
}

bool may_call(const Address& address, std::span<const Network> permitted) {
    if (is_permitted(address, permitted) || kind_of(address) == public_) return true;
    // An address that hides only permitted addresses may be called, if it is public itself.
    const auto hidden = hidden_in(address);
    return !hidden.empty() && own_kind(address) == public_ && std::ranges::all_of(hidden, [&](const Address& each) {
        return own_kind(each) == public_ || is_permitted(each, permitted);
    });
}

}  // namespace belfry
