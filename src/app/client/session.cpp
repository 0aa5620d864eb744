#include "app/client/session.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <iostream>
#include <iterator>

#include "api/http/percent.hpp"
#include "app/cli/text_file.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "base/text/ascii.hpp"
#include "base/text/yaml.hpp"
#include "base/time/duration.hpp"

namespace belfry::app {

namespace {

using boost::json::array;
using boost::json::object;

Error about(const Flag& flag, const Error& error) {
    auto named = error;
    named.message = long_name(flag.names) + ": " + error.message;
    return named;
}

Result<Json> pairs_of(const std::vector<std::string>& texts) {
    object members;
    for (const auto& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) return invalid(in_quotes(text) + ": use KEY=VALUE");
        members[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return Json(std::move(members));
}

Result<Json> whole_number(const std::string& text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return invalid(in_quotes(text) + ": use a whole number");
    return Json(number);
}

Result<Json> list_of(const std::vector<std::string>& texts, bool values) {
    array list;
    for (const auto& text : texts) {
        auto value = values ? read_value(text) : Result<Json>(Json(text));
        if (!value) return value.error();
        list.push_back(std::move(*value));
    }
    return Json(std::move(list));
}

Result<Json> value_of(const Session& session, const Flag& flag) {
    const auto& values = session.values();
    const auto name = long_name(flag.names);
    const auto text = values.one(name);
    switch (flag.kind) {
        case Kind::number: return whole_number(text);
        case Kind::yes: return Json(true);
        case Kind::no: return Json(false);
        case Kind::list: return list_of(values.all(name), false);
        case Kind::json_list: return list_of(values.all(name), true);
        case Kind::json: return read_value(text);
        case Kind::pairs: return pairs_of(values.all(name));
        case Kind::milliseconds: {
            const auto duration = parse_duration(text);
            if (!duration) return duration.error();
            return Json(std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count());
        }
        case Kind::moment:
        case Kind::past_moment: {
            const auto zone = session.zone_flag();
            if (!zone) return zone.error();
            const auto moment = parse_moment(text, **zone, session.now(),
                                             flag.kind == Kind::moment ? Direction::ahead : Direction::back);
            if (!moment) return moment.error();
            return Json(format_instant(*moment));
        }
        default: return Json(text);
    }
}

// The flag that sets the member at the pointer, or a part of it.
std::string flag_of(const Verb& verb, std::string_view pointer) {
    for (const auto& flag : verb.flags) {
        const std::string_view to = flag.to;
        const bool sets = to.size() > 1 && (pointer == to || pointer.starts_with(std::string(to) + "/") ||
                                            (to[0] == '?' && to.substr(1) == pointer));
        if (sets) return long_name(flag.names);
    }
    return {};
}

}  // namespace

ExitCode Session::run() {
    auto result = verb_.handler != nullptr ? verb_.handler(*this) : request();
    if (result) return *result;
    print_error(result.error());
    return exit_code_of(result.error());
}

void Session::print_error(const Error& error) const {
    const auto named = [&](const Error& each) {
        const auto flag = values_.has("--file") ? "" : flag_of(verb_, each.field);
        if (!flag.empty() && values_.has(flag)) return flag + ": " + each.message;
        return each.field.empty() ? each.message : each.field + ": " + each.message;
    };
    if (error.more.empty()) {
        console_.err() << "error: " << visible(error.message) << '\n';
    } else {
        for (const auto& each : error.more) console_.err() << "error: " << visible(named(each)) << '\n';
    }
    if (error.code == ErrorCode::unauthenticated)
        console_.err() << "Set BELFRY_TOKEN, or store a key: belfry context set NAME --token-file FILE\n";
    if (error.code == ErrorCode::unavailable)
        console_.err() << "Is the server running? Start one with belfry serve, or name it with --url or BELFRY_URL.\n";
}

spec::ZonePtr Session::zone(const std::string& name) const {
    const auto found = console_.zones().find(name);
    return found ? *found : spec::Zone::utc();
}

Result<spec::ZonePtr> Session::zone_flag() const {
    const auto name = values_.one("--tz");
    if (name.empty()) return spec::Zone::utc();
    const auto found = console_.zones().find(name);
    if (!found) return Error{found.error().code, "--tz: " + found.error().message};
    return *found;
}

std::string Session::path(std::string_view pattern, const std::string& name) const {
    std::string result;
    while (!pattern.empty()) {
        if (pattern.starts_with("…")) {
            result += "/api/tenants/" + api::percent_encode(server_.tenant);
            pattern.remove_prefix(std::string_view("…").size());
        } else if (pattern.front() == '{') {
            const auto key = std::string(pattern.substr(1, pattern.find('}') - 1));
            const bool is_given = name.empty() || key != "NAME";
            result += api::percent_encode(is_given ? values_.one(key) : name);
            pattern.remove_prefix(key.size() + 2);
        } else {
            result += pattern.front();
            pattern.remove_prefix(1);
        }
    }
    return result;
}

Result<Json> Session::get(const std::string& path) const { return server_.client.get({.path = path}); }

Result<Json> Session::change(const std::string& method, const std::string& path, const Json& body) const {
    constexpr std::chrono::seconds kPatience{60};  // a change may wait for the database
    return server_.client.call(method, {.path = path, .body = body, .timeout = kPatience});
}

Result<Json> Session::body() const {
    Json body = object();
    for (const auto& argument : verb_.arguments) {
        if (*argument.to != '\0') set_at(body, argument.to, Json(values_.one(argument.name)));
    }
    for (const auto& flag : verb_.flags) {
        if (flag.to[0] != '/' || !values_.has(long_name(flag.names))) continue;
        auto value = value_of(*this, flag);
        if (!value) return about(flag, value.error());
        set_at(body, flag.to, std::move(*value));
    }
    return body;
}

Result<std::string> Session::query() const {
    std::string query;
    for (const auto& flag : verb_.flags) {
        if (flag.to[0] != '?' || !values_.has(long_name(flag.names))) continue;
        const auto value = value_of(*this, flag);
        if (!value) return about(flag, value.error());
        query += (query.empty() ? "?" : "&") + std::string(flag.to + 1) + "=" +
                 api::percent_encode(app::text_at(*value, ""));
    }
    return query;
}

Result<Instant> Session::moment(const std::string& flag, const spec::Zone& zone, Direction direction) const {
    auto moment = parse_moment(values_.one(flag), zone, now(), direction);
    if (!moment) return invalid(flag + ": " + moment.error().message);
    return moment;
}

Json Session::reason_body() const {
    object body;
    if (values_.has("--reason")) body["reason"] = values_.one("--reason");
    return body;
}

// A verb without a function: one request, or the pages of a list.
Result<ExitCode> Session::request() {
    const auto query = this->query();
    if (!query) return query.error();
    const auto target = path(verb_.path) + *query;
    const std::string method = verb_.method;
    if (method == "LIST") return list(*this, target);
    if (method == "GET") return show(*this, target);
    auto members = body();
    if (!members) return members.error();
    const bool sends = method != "DELETE";
    const auto answer = change(method, target, sends ? *members : Json());
    if (!answer) return answer.error();
    print_change(*this, *answer);
    return ExitCode::ok;
}

Result<Json> read_value(const std::string& text) {
    if (text.starts_with('@')) return read_document(text.substr(1));
    if (auto json = parse_json(text, {.numbers = JsonNumbers::exact})) return json;
    auto yaml = parse_yaml(text);
    if (!yaml) return invalid(in_quotes(text) + " is neither JSON nor YAML: " + yaml.error().message);
    return yaml;
}

Result<Json> read_document(const std::string& path) {
    std::string text;
    if (path == "-") {
        text.assign(std::istreambuf_iterator<char>(std::cin), {});
    } else {
        auto read = read_text_file(path);
        if (!read) return read.error();
        text = std::move(*read);
    }
    if (auto json = parse_json(text, {.numbers = JsonNumbers::exact})) return json;
    auto yaml = parse_yaml(text);
    if (!yaml) return invalid((path == "-" ? "the standard input" : path) + ": " + yaml.error().message);
    return yaml;
}

}  // namespace belfry::app
