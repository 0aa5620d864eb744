#include "model/run/http_node.hpp"

#include <gtest/gtest.h>

namespace belfry::model {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

using Lines = std::vector<std::string>;

Lines lines_of(const Errors& errors) {
    Lines lines;
    for (const auto& error : errors) lines.push_back(error.field + ": " + error.message);
    return lines;
}
Lines http(std::string_view input) { return lines_of(check_http_input(json(input))); }
Lines url(const std::string& text) { return lines_of(check_http_input(Json{{"method", "GET"}, {"url", text}})); }

TEST(HttpNode, AWholeInputIsAccepted) {
    EXPECT_EQ(http(R"({"method":"POST","url":"https://example.com/orders/${input/id}?q=${nodes.a.output}",)"
                   R"("headers":{"X-Team":"${input/team}","Accept":"text/plain"},)"
                   R"("body":{"total":"${nodes.sum.output/total}"},"expectedStatus":[200,"3xx"],"signed":true,)"
                   R"("timeoutMs":5000})"),
              Lines{});
    EXPECT_EQ(http(R"({"method":"GET","url":"http://127.0.0.1:8080/","headers":null,"body":null,"expectedStatus":null,)"
                   R"("signed":null,"timeoutMs":null})"),
              Lines{});
}

TEST(HttpNode, AllThatIsWrongIsTold) {
    EXPECT_EQ(http("null"),
              Lines{R"(: an http node's input must be an object, not null; for example {"method": "GET", )"
                    R"("url": "https://example.com/"})"});
    EXPECT_EQ(http("{}"), (Lines{R"(/method: "method" is missing; add it)", R"(/url: "url" is missing; add it)"}));
    EXPECT_EQ(http(R"({"method":"get","url":7,"header":{},"signed":"yes","timeoutMs":0,"expectedStatus":[99,600,"2XX",)"
                   R"("6xx","20x",200.5,null],"headers":[]})"),
              (Lines{R"(/method: the method "get": use one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS)",
                     "/url: must be a text, not a number", "/headers: must be an object, not an array",
                     R"(/expectedStatus/0: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     R"(/expectedStatus/1: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     R"(/expectedStatus/2: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     R"(/expectedStatus/3: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     R"(/expectedStatus/4: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     R"(/expectedStatus/5: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     R"(/expectedStatus/6: must be a status from 100 to 599, or a class of them as text: "2xx")",
                     "/signed: must be true or false, not a text",
                     "/timeoutMs: must be a whole number from 1 to 3162240000000",
                     R"(/header: there is no member "header"; did you mean "headers"?)"}));
    EXPECT_EQ(http(R"({"method":"GET","url":"https://example.com/","expectedStatus":[]})"),
              Lines{R"(/expectedStatus: list 1 to 50 statuses, for example [200, "3xx"])"});
}

TEST(HttpNode, AnEarlierOutputCannotChooseTheHost) {
    const Lines refused{
        "/url: scheme and host must be written out: a reference is allowed only after the host and a / or ?, as in "
        "https://example.com/${input/id}"};
    for (const char* text : {"${input/url}", "${input/scheme}://example.com/", "https://${input/host}/",
                             "https://${input/host}.example.com/", "https://example.com${input/path}",
                             "https://example.com:${input/port}/", "https://example.com:80${input/port}/",
                             "https:${input/rest}", "https:/${input/rest}", "https://${input/user}@example.com/"}) {
        EXPECT_EQ(url(text), refused) << text;
    }
    for (const char* text : {"https://example.com/${input/path}", "https://example.com?q=${input/path}",
                             "https://example.com:8443/a/${input/path}/b"}) {
        EXPECT_EQ(url(text), Lines{}) << text;
    }
}

TEST(HttpNode, AUrlThatCannotBeCalledIsRefused) {
    EXPECT_EQ(url("ftp://example.com/${input/x}"),
              Lines{R"(/url: the scheme "ftp" cannot be called: use http or https)"});
    EXPECT_EQ(url("https://example.com/a b"),
              Lines{"/url: a URL must not contain blanks, control characters or non-ASCII letters: percent-encode "
                    "them, and write a host name as xn--…"});
    EXPECT_EQ(url("https://ada:secret@example.com/${input/x}"),
              Lines{"/url: a URL must not contain a user name or a password"});
    EXPECT_EQ(url("https://example.com\\${input/x}/").size(), 1U);
}

TEST(HttpNode, HeadersOfTheServerCannotBeGiven) {
    const auto headers = [](std::string_view text) {
        return http(R"({"method":"GET","url":"https://example.com/","headers":)" + std::string(text) + "}");
    };
    EXPECT_EQ(headers(R"({"Host":"evil"})"), Lines{"/headers/Host: the header Host is set by the server: remove it"});
    EXPECT_EQ(headers(R"({"a b":"x"})"), Lines{R"(/headers/a b: "a b" is not the name of a header)"});
    EXPECT_EQ(headers(R"({"x":"a\nb"})"), Lines{"/headers/x: the header x has control characters in its value"});
    EXPECT_EQ(headers(R"({"x":1})"), Lines{"/headers/x: must be a text, not a number"});
    EXPECT_EQ(headers(R"({"x":"1","X":"2"})"),
              Lines{"/headers/X: the header occurs twice, in different letter case; keep one of them"});
    EXPECT_EQ(headers(R"({"${input/x}":"1"})"),
              Lines{R"(/headers/${input~1x}: "${input/x}" is not the name of a header)"});
    boost::json::object many;
    for (int i = 0; i < 51; ++i) many["x" + std::to_string(i)] = "1";
    EXPECT_EQ(headers(to_text(many)), Lines{"/headers: use at most 50 headers"});
}

TEST(HttpNode, ExpectedStatusesAreSingleOnesAndClasses) {
    const auto expected = json(R"([200,"3xx"])");
    for (const int status : {200, 300, 399}) EXPECT_TRUE(is_expected_status(&expected, status));
    for (const int status : {201, 404, 500}) EXPECT_FALSE(is_expected_status(&expected, status));
    EXPECT_TRUE(is_expected_status(nullptr, 204));
    EXPECT_FALSE(is_expected_status(nullptr, 302));
    const Json null;
    EXPECT_TRUE(is_expected_status(&null, 200));
}

TEST(CommandNode, NamesItsCommandAndTakesAnythingElse) {
    const auto command = [](std::string_view input) { return lines_of(check_command_input(json(input))); };
    EXPECT_EQ(command(R"({"command":"resize","width":[1],"text":"${input}"})"), Lines{});
    EXPECT_EQ(command("[]"),
              Lines{R"(: a command node's input must be an object, not an array; for example {"command": "resize", )"
                    R"("width": 100})"});
    EXPECT_EQ(command("{}"), Lines{R"(/command: "command" is missing; add it)"});
    EXPECT_EQ(command(R"({"command":null})"), Lines{"/command: must be a text, not null"});
    for (const char* name : {"", "/bin/sh", "a b", "${input/command}"}) {
        EXPECT_EQ(lines_of(check_command_input(Json{{"command", name}})),
                  Lines{"/command: a command's name must not contain references: use 1 to 64 letters, digits, _ and -"})
            << name;
    }
}

}  // namespace
}  // namespace belfry::model
