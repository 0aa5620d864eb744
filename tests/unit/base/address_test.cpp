#include "base/net/address.hpp"

#include <gtest/gtest.h>

namespace belfry::address_test {
namespace {

using enum AddressKind;

struct Row {
    const char* text;
    AddressKind kind;
    const char* why;
};

// The SSRF table: first and last addresses of each range and their neighbours, and every disguise of an internal
// address.
constexpr Row kRows[] = {
    {"8.8.8.8", public_, "an ordinary address"},
    {"1.1.1.1", public_, "an ordinary address"},
    {"93.184.216.34", public_, "an ordinary address"},
    {"0.0.0.0", unspecified, "Linux connects to itself"},
    {"0.0.0.1", this_network, "0.0.0.0/8 begins"},
    {"0.255.255.255", this_network, "0.0.0.0/8 ends"},
    {"1.0.0.0", public_, "after 0.0.0.0/8"},
    {"9.255.255.255", public_, "before 10.0.0.0/8"},
    {"10.0.0.0", private_, "10.0.0.0/8 begins"},
    {"10.255.255.255", private_, "10.0.0.0/8 ends"},
    {"11.0.0.0", public_, "after 10.0.0.0/8"},
    {"100.63.255.255", public_, "before 100.64.0.0/10"},
    {"100.64.0.0", carrier_nat, "100.64.0.0/10 begins"},
    {"100.100.100.200", carrier_nat, "a cloud's metadata"},
    {"100.127.255.255", carrier_nat, "100.64.0.0/10 ends"},
    {"100.128.0.0", public_, "after 100.64.0.0/10"},
    {"126.255.255.255", public_, "before 127.0.0.0/8"},
    {"127.0.0.0", loopback, "127.0.0.0/8 begins"},
    {"127.0.0.1", loopback, "this machine"},
    {"127.255.255.255", loopback, "127.0.0.0/8 ends"},
    {"128.0.0.0", public_, "after 127.0.0.0/8"},
    {"168.63.129.15", public_, "a neighbour"},
    {"168.63.129.16", platform, "a cloud's own service behind a public number"},
    {"169.253.255.255", public_, "before 169.254.0.0/16"},
    {"169.254.0.0", link_local, "169.254.0.0/16 begins"},
    {"169.254.169.254", link_local, "clouds answer with credentials"},
    {"169.254.170.2", link_local, "a container's credentials"},
    {"169.254.255.255", link_local, "169.254.0.0/16 ends"},
    {"169.255.0.0", public_, "after 169.254.0.0/16"},
    {"172.15.255.255", public_, "before 172.16.0.0/12"},
    {"172.16.0.0", private_, "172.16.0.0/12 begins"},
    {"172.31.255.255", private_, "172.16.0.0/12 ends"},
    {"172.32.0.0", public_, "after 172.16.0.0/12"},
    {"192.0.0.0", ietf, "192.0.0.0/24 begins"},
    {"192.0.0.192", ietf, "a cloud's metadata"},
    {"192.0.0.255", ietf, "192.0.0.0/24 ends"},
    {"192.0.1.0", public_, "between two ranges"},
    {"192.0.2.1", documentation, "TEST-NET-1"},
    {"192.88.99.1", reserved, "6to4 relays"},
    {"192.167.255.255", public_, "before 192.168.0.0/16"},
    {"192.168.0.0", private_, "192.168.0.0/16 begins"},
    {"192.168.255.255", private_, "192.168.0.0/16 ends"},
    {"192.169.0.0", public_, "after 192.168.0.0/16"},
    {"198.17.255.255", public_, "before 198.18.0.0/15"},
    {"198.18.0.0", benchmarking, "198.18.0.0/15 begins"},
    {"198.19.255.255", benchmarking, "198.18.0.0/15 ends"},
    {"198.20.0.0", public_, "after 198.18.0.0/15"},
    {"198.51.100.7", documentation, "TEST-NET-2"},
    {"203.0.113.7", documentation, "TEST-NET-3"},
    {"223.255.255.255", public_, "before 224.0.0.0/4"},
    {"224.0.0.1", multicast, "224.0.0.0/4 begins"},
    {"239.255.255.250", multicast, "SSDP"},
    {"240.0.0.1", reserved, "240.0.0.0/4 begins"},
    {"255.255.255.254", reserved, "240.0.0.0/4 ends"},
    {"255.255.255.255", broadcast, "everybody on the link"},

    {"2606:4700:4700::1111", public_, "an ordinary address"},
    {"2a00:1450:4001:81b::200e", public_, "an ordinary address"},
    {"2000::1", public_, "2000::/3 begins"},
    {"1fff:ffff::1", reserved, "before 2000::/3"},
    {"4000::1", reserved, "after 2000::/3"},
    {"::", unspecified, "Linux connects to itself"},
    {"::1", loopback, "this machine"},
    {"0:0:0:0:0:0:0:1", loopback, "written out"},
    {"::2", this_network, "IPv4-compatible 0.0.0.2"},
    {"::ffff:127.0.0.1", loopback, "IPv4-mapped"},
    {"::ffff:7f00:1", loopback, "IPv4-mapped in hexadecimal"},
    {"::ffff:10.1.2.3", private_, "IPv4-mapped"},
    {"::ffff:169.254.169.254", link_local, "IPv4-mapped"},
    {"::ffff:0.0.0.0", unspecified, "IPv4-mapped"},
    {"::ffff:8.8.8.8", public_, "IPv4-mapped, and public inside"},
    {"::127.0.0.1", loopback, "IPv4-compatible"},
    {"::10.0.0.1", private_, "IPv4-compatible"},
    {"::8.8.8.8", reserved, "IPv4-compatible is deprecated, whatever is inside"},
    {"::ffff:0:127.0.0.1", loopback, "IPv4-translated"},
    {"::ffff:0:8.8.8.8", reserved, "IPv4-translated"},
    {"64:ff9b::127.0.0.1", loopback, "NAT64"},
    {"64:ff9b::a00:1", private_, "NAT64 of 10.0.0.1"},
    {"64:ff9b::a9fe:a9fe", link_local, "NAT64 of the metadata address"},
    {"64:ff9b::8.8.8.8", public_, "NAT64, and public inside"},
    {"64:ff9b:0:0:0:1::1", reserved, "beyond the /96 of NAT64"},
    {"64:ff9b:1::8.8.8.8", translation, "local NAT64"},
    {"64:ff9b:1:ffff:ffff::1", translation, "local NAT64 ends"},
    {"64:ff9b:2::1", reserved, "after local NAT64"},
    {"2002:7f00:1::", loopback, "6to4 of 127.0.0.1"},
    {"2002:c0a8:101::1", private_, "6to4 of 192.168.1.1"},
    {"2002:a9fe:a9fe::", link_local, "6to4 of the metadata address"},
    {"2002:808:808::1", public_, "6to4 of 8.8.8.8"},
    {"2001:0:808:808:0:0:80ff:fffe", loopback, "Teredo of a client at 127.0.0.1"},
    {"2001:0:808:808:0:0:f5ff:fffe", private_, "Teredo of a client at 10.0.0.1"},
    {"2001:0:7f00:1:0:0:f7f7:f7f7", loopback, "Teredo with a server at 127.0.0.1"},
    {"2001:0:808:808:0:0:f7f7:f7f7", public_, "Teredo, client and server public"},
    {"100::1", discard, "thrown away"},
    {"100:0:0:1::1", reserved, "after 100::/64"},
    {"2001:1::1", ietf, "2001::/23"},
    {"2001:2::1", benchmarking, "2001:2::/48"},
    {"2001:2:1::1", ietf, "after 2001:2::/48"},
    {"2001:10::1", orchid, "ORCHID"},
    {"2001:1f:ffff::1", orchid, "ORCHID ends"},
    {"2001:20::1", orchid, "ORCHIDv2"},
    {"2001:2f:ffff::1", orchid, "ORCHIDv2 ends"},
    {"2001:30::1", ietf, "drones"},
    {"2001:1ff:ffff::1", ietf, "2001::/23 ends"},
    {"2001:200::1", public_, "after 2001::/23"},
    {"2001:db8::1", documentation, "RFC 3849"},
    {"2001:db9::1", public_, "after it"},
    {"3ffe::1", reserved, "6bone"},
    {"3fff::1", documentation, "RFC 9637"},
    {"3fff:1000::1", public_, "after it"},
    {"5f00::1", reserved, "segment routing"},
    {"fbff::1", reserved, "before fc00::/7"},
    {"fc00::1", unique_local, "fc00::/7 begins"},
    {"fd00:ec2::254", unique_local, "a cloud's metadata"},
    {"fdff::1", unique_local, "fc00::/7 ends"},
    {"fe00::1", reserved, "after fc00::/7"},
    {"fe80::1", link_local, "fe80::/10 begins"},
    {"febf::1", link_local, "fe80::/10 ends"},
    {"fec0::1", site_local, "fec0::/10 begins"},
    {"feff::1", site_local, "fec0::/10 ends"},
    {"ff02::1", multicast, "all nodes of the link"},
};

class Addresses : public testing::TestWithParam<Row> {};

TEST_P(Addresses, AreKnownByTheirNumbers) {
    const auto& row = GetParam();
    const auto address = parse_address(row.text);
    ASSERT_TRUE(address) << row.text;
    EXPECT_EQ(name_of(kind_of(*address)), name_of(row.kind)) << row.text << ": " << row.why;
    EXPECT_EQ(may_call(*address, {}), row.kind == public_);
    EXPECT_EQ(parse_address(format_address(*address)), address);
}

INSTANTIATE_TEST_SUITE_P(Table, Addresses, testing::ValuesIn(kRows));

TEST(Address, HasOneSpellingPerFamily) {
    for (const auto* text :
         {"", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.0.0.1.", " 127.0.0.1", "127.0.0.01", "256.0.0.1",
          "1.2.3", "fe80::1%eth0", "[::1]", ":::", "1::2::3", "12345::", "localhost"}) {
        EXPECT_FALSE(parse_address(text)) << text;
    }
    EXPECT_FALSE(parse_address(std::string_view("127.0.0.1\0", 10)));
}

TEST(Network, IsWrittenWithoutBitsBeyondItsPrefix) {
    EXPECT_TRUE(parse_network("10.0.0.0/8"));
    EXPECT_TRUE(parse_network("fd00::/8"));
    EXPECT_TRUE(parse_network("0.0.0.0/0"));
    EXPECT_EQ(parse_network("192.0.2.1").value().prefix, 32);
    EXPECT_EQ(parse_network("::1").value().prefix, 128);
    EXPECT_NE(parse_network("10.1.0.0/8").error().message.find("did you mean 10.0.0.0/8?"), std::string::npos);
    EXPECT_NE(parse_network("2001:db8::1/32").error().message.find("did you mean 2001:db8::/32?"), std::string::npos);
    for (const auto* text :
         {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10/8", "10.0.0.0/8/8", "example.com/8"}) {
        EXPECT_FALSE(parse_network(text)) << text;
    }
}

TEST(Network, SeveralArePartedByCommas) {
    const auto networks = parse_networks("10.0.0.0/8, fd00::/8 ,127.0.0.1").value();
    ASSERT_EQ(networks.size(), 3U);
    EXPECT_EQ(networks[2], parse_network("127.0.0.1").value());
    EXPECT_TRUE(parse_networks("").value().empty());
    EXPECT_FALSE(parse_networks("10.0.0.0/8,,::1"));
    EXPECT_FALSE(parse_networks("10.0.0.0/8 ::1"));
}

TEST(Network, HoldsTheAddressesWithItsFirstBits) {
    const auto network = parse_network("172.16.0.0/12").value();
    EXPECT_TRUE(contains(network, parse_address("172.31.255.255").value()));
    EXPECT_FALSE(contains(network, parse_address("172.32.0.0").value()));
    EXPECT_FALSE(contains(network, parse_address("::ffff:172.16.0.1").value()));
    EXPECT_TRUE(contains(parse_network("0.0.0.0/0").value(), parse_address("1.2.3.4").value()));
    EXPECT_FALSE(contains(parse_network("0.0.0.0/0").value(), parse_address("::1").value()));
}

TEST(MayCall, WhatAnOperatorPermitsAlsoUnderItsOtherNames) {
    const auto permitted = parse_networks("10.0.0.0/8, ::1").value();
    const auto may = [&](const char* text) { return may_call(parse_address(text).value(), permitted); };
    EXPECT_TRUE(may("10.1.2.3"));
    EXPECT_TRUE(may("::ffff:10.1.2.3"));
    EXPECT_TRUE(may("64:ff9b::10.1.2.3"));
    EXPECT_TRUE(may("::1"));
    EXPECT_TRUE(may("8.8.8.8"));
    EXPECT_FALSE(may("127.0.0.1"));
    EXPECT_FALSE(may("::ffff:127.0.0.1"));
    EXPECT_FALSE(may("192.168.0.1"));
    EXPECT_FALSE(may("::10.1.2.3")) << "deprecated, and routed nowhere";
    EXPECT_FALSE(may("2001:0:7f00:1:0:0:f5ff:fffe")) << "a Teredo client that is permitted behind a server that is not";
}

}  // namespace
}  // namespace belfry::address_test
