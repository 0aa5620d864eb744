#include "base/net/url.hpp"

#include <gtest/gtest.h>

namespace belfry {
namespace {

struct Accepted {
    const char* text;
    const char* canonical;
};

class Urls : public testing::TestWithParam<Accepted> {};

TEST_P(Urls, HaveOneCanonicalText) {
    const auto url = parse_url(GetParam().text);
    ASSERT_TRUE(url) << GetParam().text << ": " << url.error().message;
    EXPECT_EQ(format_url(*url), GetParam().canonical);
    EXPECT_EQ(parse_url(format_url(*url)).value(), *url);
}

INSTANTIATE_TEST_SUITE_P(Table, Urls,
                         testing::Values(Accepted{"https://example.com", "https://example.com/"},
                                         Accepted{"HTTPS://Example.COM/Path?a=B&c=%20d",
                                                  "https://example.com/Path?a=B&c=%20d"},
                                         Accepted{"http://example.com:80/", "http://example.com/"},
                                         Accepted{"https://example.com:443/x", "https://example.com/x"},
                                         Accepted{"http://example.com:443/", "http://example.com:443/"},
                                         Accepted{"http://example.com:65535", "http://example.com:65535/"},
                                         Accepted{"http://example.com?x=1", "http://example.com/?x=1"},
                                         Accepted{"http://example.com/a/../b", "http://example.com/a/../b"},
                                         Accepted{"http://kpi.internal/health", "http://kpi.internal/health"},
                                         Accepted{"http://my_service/x", "http://my_service/x"},
                                         Accepted{"http://localhost:8080/", "http://localhost:8080/"},
                                         Accepted{"http://1e100.net/", "http://1e100.net/"},
                                         Accepted{"http://10.example/", "http://10.example/"},
                                         Accepted{"http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
                                         Accepted{"http://192.0.2.7:8080/x", "http://192.0.2.7:8080/x"},
                                         Accepted{"http://[2001:DB8:0::1]/x", "http://[2001:db8::1]/x"},
                                         Accepted{"http://[::ffff:127.0.0.1]:81/", "http://[::ffff:127.0.0.1]:81/"}));

class UrlRefusals : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(UrlRefusals, SayWhy) {
    const auto [text, reason] = GetParam();
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text << " was read as " << format_url(*url);
    EXPECT_NE(url.error().message.find(reason), std::string::npos) << text << ": " << url.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, UrlRefusals,
    testing::Values(
        std::pair{"", "is not a URL"}, std::pair{"example.com", "is not a URL"}, std::pair{"/path", "is not a URL"},
        std::pair{"//example.com/", "is not a URL"}, std::pair{"http:/example.com", "no host"},
        std::pair{"http:example.com", "no host"}, std::pair{"http://", "no host"}, std::pair{"http:///path", "no host"},
        std::pair{"http://:80/", "no host"}, std::pair{"ftp://example.com/", "use http or https"},
        std::pair{"file:///etc/passwd", "use http or https"}, std::pair{"gopher://example.com/", "use http or https"},
        std::pair{"javascript:alert(1)", "use http or https"}, std::pair{"http://user@example.com/", "user name"},
        std::pair{"http://user:pass@example.com/", "user name"}, std::pair{"http://@example.com/", "user name"},
        std::pair{"http://example.com@127.0.0.1/", "user name"},
        std::pair{"http://example.com#@127.0.0.1/", "fragment"}, std::pair{"http://example.com/#top", "fragment"},
        std::pair{"http://example.com/a b", "must not contain blanks"},
        std::pair{" http://example.com/", "must not contain blanks"},
        std::pair{"http://example.com/\r\nX: 1", "must not contain blanks"},
        std::pair{"http://example.com\t/", "must not contain blanks"},
        std::pair{"http://b\xc3\xbc"
                  "cher.example/",
                  "must not contain blanks"},
        std::pair{"http://example\xe3\x80\x82"
                  "com/",
                  "must not contain blanks"},
        std::pair{"http://127.0.0.1\\@example.com/", "is not a URL"},
        std::pair{"http://exa%6dple.com/", "percent-encoded"}, std::pair{"http://%31%32%37.0.0.1/", "percent-encoded"},
        std::pair{"http://127.1/", "IPv4"}, std::pair{"http://2130706433/", "IPv4"},
        std::pair{"http://0x7f000001/", "IPv4"}, std::pair{"http://0x7f.1/", "IPv4"},
        std::pair{"http://0X7F.0.0.0x1/", "IPv4"}, std::pair{"http://0177.0.0.1/", "IPv4"},
        std::pair{"http://127.0.0.01/", "IPv4"}, std::pair{"http://0/", "IPv4"}, std::pair{"http://0x/", "IPv4"},
        std::pair{"http://1.2.3.4.5/", "is not a URL"}, std::pair{"http://256.0.0.1/", "IPv4"},
        std::pair{"http://example.1/", "IPv4"}, std::pair{"http://127.0.0.1./", "is not a URL"},
        std::pair{"http://example.com./", "not a name"}, std::pair{"http://.example.com/", "not a name"},
        std::pair{"http://a..b/", "not a name"}, std::pair{"http://-a.example/", "not a name"},
        std::pair{"http://a-.example/", "not a name"}, std::pair{"http://a!b/", "not a name"},
        std::pair{"http://a,b/", "not a name"}, std::pair{"http://[::1/", "is not a URL"},
        std::pair{"http://[127.0.0.1]/", "is not a URL"}, std::pair{"http://[fe80::1%25eth0]/", ""},
        std::pair{"http://[v1.x]/", "IPv6"}, std::pair{"http://::1/", "not a URL"},
        std::pair{"http://example.com:0/", "port"}, std::pair{"http://example.com:65536/", "port"},
        std::pair{"http://example.com:/", "port"}, std::pair{"http://example.com:080/", "port"},
        std::pair{"http://example.com:99999999999999999999/", "port"},
        std::pair{"http://example.com:8o/", "is not a URL"}, std::pair{"http://example.com:-1/", "is not a URL"},
        std::pair{"http://example.com/%zz", "is not a URL"}, std::pair{"http://127.0.0.1.example.com/", "is not a URL"},
        std::pair{"http://127.0.0.1example.com/", "is not a URL"},
        std::pair{"http://[::1]example.com/", "is not a URL"}));

TEST(Url, HasABound) {
    const std::string begin = "http://example.com/";
    EXPECT_TRUE(parse_url(begin + std::string(kUrlBytesMax - begin.size(), 'a')));
    EXPECT_NE(
        parse_url(begin + std::string(kUrlBytesMax - begin.size() + 1, 'a')).error().message.find("at most 2048 bytes"),
        std::string::npos);
    EXPECT_FALSE(parse_url("http://" + std::string(64, 'a') + ".example/"));
    EXPECT_FALSE(parse_url("http://" + std::string(130, 'a') + "." + std::string(130, 'b') + "/"));
}

TEST(Url, KnowsTheNumberOfItsHost) {
    EXPECT_EQ(parse_url("http://127.0.0.1/").value().address, parse_address("127.0.0.1"));
    EXPECT_EQ(parse_url("http://[0:0::1]/").value().address, parse_address("::1"));
    EXPECT_EQ(parse_url("http://localhost/").value().address, std::nullopt);
    EXPECT_EQ(authority_of(parse_url("http://[::1]:8080/").value()), "[::1]:8080");
}

}  // namespace
}  // namespace belfry
