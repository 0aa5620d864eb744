#include "api/http/request_parser.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

namespace {

using Progress = RequestParser::Progress;

// All of it at once, as a session does it; what the parser left over.
std::string put_all(RequestParser& parser, std::string bytes) {
    for (auto before = Progress::head; !bytes.empty();) {
        const auto used = parser.put(bytes);
        bytes.erase(0, used);
        const auto now = parser.progress();
        if (now == Progress::complete || now == Progress::refused || (used == 0 && now == before)) break;
        before = now;
    }
    return bytes;
}

Request read(const std::string& bytes) {
    RequestParser parser({});
    EXPECT_EQ(put_all(parser, bytes), "");
    EXPECT_EQ(parser.progress(), Progress::complete);
    return parser.take();
}

}  // namespace

TEST(RequestParser, TakesARequestApart) {
    const auto request = read("POST /a/b?c=d&e HTTP/1.1\r\nHost: x\r\nX-Y:  z \r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a/b");
    EXPECT_EQ(request.query, "c=d&e");
    EXPECT_EQ(request.header("x-y"), "z");
    EXPECT_EQ(request.body, "abc");
}

TEST(RequestParser, ReadsTheSameHoweverTheBytesArrive) {
    const std::string bytes =
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nT: u\r\n\r\n";
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
        RequestParser parser({});
        auto rest = put_all(parser, bytes.substr(0, cut));
        EXPECT_NE(parser.progress(), Progress::complete);
        EXPECT_EQ(put_all(parser, rest + bytes.substr(cut)), "") << cut;
        ASSERT_EQ(parser.progress(), Progress::complete) << cut;
        EXPECT_EQ(parser.take().body, "abcde");
    }
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
    RequestParser parser({});
    EXPECT_EQ(put_all(parser, "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b"), "GET /b");
    EXPECT_EQ(parser.take().path, "/a");
    parser.reset();
    EXPECT_EQ(put_all(parser, "GET /b HTTP/1.1\r\nHost: x\r\n\r\n"), "");
    EXPECT_EQ(parser.take().path, "/b");
}

TEST(RequestParser, StopsWhereTheBodyBegins) {
    RequestParser parser({});
    const std::string head = "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
    EXPECT_EQ(parser.put(head + "ab"), head.size());
    EXPECT_EQ(parser.progress(), Progress::body);
    EXPECT_TRUE(parser.expects_continue());
    EXPECT_EQ(parser.put("ab"), 2U);
    EXPECT_EQ(parser.progress(), Progress::complete);
}

TEST(RequestParser, ATargetIsAPathHoweverItIsWritten) {
    struct Case {
        const char* target;
        const char* path;
        const char* query;
    };
    for (const auto& [target, path, query] : {Case{"/", "/", ""},
                                              {"/a?b?c", "/a", "b?c"},
                                              {"*", "*", ""},
                                              {"http://h:1/a?b", "/a", "b"},
                                              {"http://h", "/", ""},
                                              {"http://h?b", "/", "b"},
                                              {"/a?u=http://x/y", "/a", "u=http://x/y"},
                                              {"/http://x", "/http://x", ""}}) {
        const auto request = read("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n");
        EXPECT_EQ(request.path, path) << target;
        EXPECT_EQ(request.query, query) << target;
    }
}

TEST(RequestParser, SaysWhetherTheConnectionGoesOn) {
    struct Case {
        const char* head;
        bool goes_on;
    };
    for (const auto& [head, goes_on] : {Case{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
                                        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", false},
                                        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: a, Close\r\n\r\n", false},
                                        {"GET / HTTP/1.0\r\n\r\n", false},
                                        {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true}}) {
        RequestParser parser({});
        put_all(parser, head);
        EXPECT_EQ(parser.keeps_alive(), goes_on) << head;
    }
}

TEST(RequestParser, TheLimitsThemselvesAreFine) {
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";
    for (const auto& [header_max, body_max, status] :
         {std::tuple<std::size_t, std::size_t, int>{head.size(), 10, 0}, {head.size(), 9, 413}, {20, 10, 431}}) {
        RequestParser parser({.header_max = header_max, .body_max = body_max});
        put_all(parser, head + "0123456789");
        EXPECT_EQ(parser.progress() == Progress::refused ? parser.refusal().status : 0, status);
    }
}

}  // namespace belfry::api
