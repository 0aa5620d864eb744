#include "model/run/http_node.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "base/net/http_client.hpp"
#include "base/net/url.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "model/json/json_reader.hpp"
#include "model/limits.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::model {

namespace {

constexpr int kStatusLeast = 100;
constexpr int kStatusMost = 599;

void add(Errors& errors, Error error, const std::string& field) { errors.push_back(in_field(std::move(error), field)); }

std::optional<Error> check_method(const Json& value) {
    if (auto error = require_kind(value, JsonKind::string)) return error;
    const std::string_view text = value.get_string();
    if (std::ranges::find(kHttpMethods, text) != std::end(kHttpMethods)) return std::nullopt;
    std::string choices;
    for (const auto* method : kHttpMethods) choices += (choices.empty() ? "" : ", ") + std::string(method);
    return invalid("the method " + in_quotes(text) + ": use one of " + choices);
}

// Security: the output of an earlier node must not choose the host. References are allowed only after the host.
std::optional<Error> check_call_url(const Json& value) {
    if (auto error = require_kind(value, JsonKind::string)) return error;
    const std::string_view text = value.get_string();
    const auto filled = with_placeholders(text, "x");
    if (!filled) return std::nullopt;  // another check validates the references of all inputs together
    const auto start = literal_start(text).value();
    const auto host = start.find("://");
    const bool is_fixed =
        start == *filled || (host != std::string::npos && start.find_first_of("/?", host + 3) != std::string::npos);
    if (!is_fixed) {
        return invalid(
            "scheme and host must be written out: a reference is allowed only after the host and a / or ?, as in "
            "https://example.com/${input/id}");
    }
    const auto url = parse_url(*filled);
    if (!url) return invalid(url.error().message);
    return std::nullopt;
}

void check_headers(const Json& value, Errors& errors) {
    if (auto error = require_kind(value, JsonKind::object)) return add(errors, std::move(*error), "/headers");
    const auto& headers = value.get_object();
    if (headers.size() > kHttpNodeHeadersMax)
        add(errors, invalid("use at most " + std::to_string(kHttpNodeHeadersMax) + " headers"), "/headers");
    std::vector<std::string> names;
    for (const auto& header : headers) {
        const auto field = "/headers" + pointer_step(header.key());
        if (auto error = require_kind(header.value(), JsonKind::string)) {
            add(errors, std::move(*error), field);
            continue;
        }
        const auto filled = with_placeholders(header.value().get_string(), "x");
        if (!filled) continue;
        const std::array checked{HttpHeader{header.key(), *filled}};
        if (const auto fits = check_caller_headers(checked); !fits) add(errors, fits.error(), field);
        const auto name = lower_case(std::string_view(header.key()));
        if (std::ranges::find(names, name) != names.end())
            add(errors, invalid("the header occurs twice, in different letter case; keep one of them"), field);
        names.push_back(name);
    }
}

// 2xx
bool is_class(std::string_view text) {
    return text.size() == 3 && text[0] >= '1' && text[0] <= '5' && text.substr(1) == "xx";
}

bool is_status(const Json& value) {
    const auto* const number = value.if_int64();
    return number != nullptr && *number >= kStatusLeast && *number <= kStatusMost;
}

void check_expected(const Json& value, Errors& errors) {
    const std::string field = "/expectedStatus";
    if (auto error = require_kind(value, JsonKind::array)) return add(errors, std::move(*error), field);
    const auto& statuses = value.get_array();
    if (statuses.empty() || statuses.size() > kExpectedStatusMax) {
        return add(errors,
                   invalid("list 1 to " + std::to_string(kExpectedStatusMax) + " statuses, for example [200, \"3xx\"]"),
                   field);
    }
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        if (is_status(statuses[i]) || (statuses[i].is_string() && is_class(std::string_view(statuses[i].get_string()))))
            continue;
        add(errors, invalid("must be a status from 100 to 599, or a class of them as text: \"2xx\""),
            field + '/' + std::to_string(i));
    }
}

void check_call_timeout(const Json& value, Errors& errors) {
    const auto* const number = value.if_int64();
    if (number == nullptr || *number < 1 || *number > kMillisecondsMax) {
        add(errors, invalid("must be a whole number from 1 to " + std::to_string(kMillisecondsMax)), "/timeoutMs");
    }
}

}  // namespace

Errors check_http_input(const Json& input) {
    if (auto error = require_kind(input, JsonKind::object)) {
        return {invalid("an http node's input " + error->message +
                        R"(; for example {"method": "GET", "url": "https://example.com/"})")};
    }
    static const std::vector<std::string> kMembers{"method",         "url",    "headers",  "body",
                                                   "expectedStatus", "signed", "timeoutMs"};
    Errors errors;
    const auto& object = input.get_object();
    // Null means absent, as in every request.
    const auto given = [&object](const char* name) -> const Json* {
        const auto* const value = object.if_contains(name);
        return value == nullptr || value->is_null() ? nullptr : value;
    };
    const auto check_required = [&](const char* name, auto check) {
        const auto* const value = given(name);
        if (value == nullptr) return errors.push_back(missing_member(name));
        if (auto error = check(*value)) add(errors, std::move(*error), pointer_step(name));
    };
    check_required("method", check_method);
    check_required("url", check_call_url);
    if (const auto* const headers = given("headers")) check_headers(*headers, errors);
    if (const auto* const expected = given("expectedStatus")) check_expected(*expected, errors);
    if (const auto* const is_signed = given("signed")) {
        if (auto error = require_kind(*is_signed, JsonKind::boolean)) add(errors, std::move(*error), "/signed");
    }
    if (const auto* const timeout = given("timeoutMs")) check_call_timeout(*timeout, errors);
    for (const auto& member : object) {
        if (std::ranges::find(kMembers, std::string_view(member.key())) == kMembers.end())
            errors.push_back(unknown_member(member.key(), kMembers));
    }
    return errors;
}

Errors check_command_input(const Json& input) {
    if (auto error = require_kind(input, JsonKind::object)) {
        return {invalid("a command node's input " + error->message +
                        R"(; for example {"command": "resize", "width": 100})")};
    }
    const auto* const command = input.get_object().if_contains("command");
    if (command == nullptr) return {missing_member("command")};
    if (auto error = require_kind(*command, JsonKind::string)) return {in_field(std::move(*error), "/command")};
    if (is_node_id(std::string_view(command->get_string()))) return {};
    return {in_field(invalid(std::string("a command's name must not contain references: ") + kNodeIdRule), "/command")};
}

bool is_expected_status(const Json* expected, int status) {
    if (expected == nullptr || expected->is_null()) return status / 100 == 2;
    return std::ranges::any_of(expected->get_array(), [status](const Json& each) {
        if (const auto* const text = each.if_string()) return text->front() - '0' == status / 100;
        return each.get_int64() == status;
    });
}

}  // namespace belfry::model
