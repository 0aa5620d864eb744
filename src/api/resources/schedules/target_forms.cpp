#include "api/resources/schedules/target_forms.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text/ascii.hpp"
#include "model/run/http_node.hpp"

namespace belfry::api {

namespace {

using boost::json::object;

constexpr std::string_view kHttp = "http";
constexpr std::string_view kCommand = "command";
constexpr std::array<std::string_view, 7> kHttpMembers{"url",    "method",   "headers", "body", "expectedStatus",
                                                       "signed", "timeoutMs"};
constexpr std::int64_t kTargetUrlMax = 2'000;  // bytes; browsers and proxies support this length

bool given(const object& target, std::string_view name) {
    const auto* const value = target.if_contains(name);
    return value != nullptr && !value->is_null();
}

std::string text_of(const object& target, std::string_view name) {
    const auto* const value = target.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(std::string_view(value->get_string())) : std::string();
}

// Returns the kind that the target is a short form of, or an empty text.
std::string_view form_of(const object& target) {
    const auto type = text_of(target, "type");
    if (type == kHttp || (type.empty() && given(target, "url") && !given(target, "workflowKind"))) return kHttp;
    if (type == kCommand || (type.empty() && given(target, "command") && !given(target, "workflowKind")))
        return kCommand;
    return {};
}

Error at_member(std::string_view name, std::string message) {
    return in_field(invalid(std::move(message)), "/" + std::string(name));
}

std::optional<Error> check_form(const object& target, std::string_view form) {
    for (const auto name : kHttpMembers) {
        if (form != kHttp && given(target, name))
            return at_member(name, R"(belongs to a target of the type http; set "type": "http", or remove it)");
    }
    if (form != kCommand && given(target, kCommand)) {
        return at_member(kCommand, R"(belongs to a target of the type command; set "type": "command", or remove it)");
    }
    if (form.empty()) return std::nullopt;
    for (const auto* const name : {"workflowKind", "taskKind"}) {
        const auto kind = text_of(target, name);
        if (!kind.empty() && kind != form)
            return at_member(name, "a target of the type " + std::string(form) + " has no other kind; remove it");
    }
    const bool flat = std::ranges::any_of(kHttpMembers, [&](std::string_view name) { return given(target, name); });
    if (form == kHttp && flat && given(target, "input")) {
        return at_member("input",
                         "an http target has the members of its call beside its type or in its input, not in both; "
                         "move them to one place");
    }
    if (const auto* const input = target.if_contains("input");
        form == kCommand && input != nullptr && !input->is_null()) {
        if (!input->is_object())
            return at_member("input", "the input of a command must be an object, for example {\"args\": [\"--fast\"]}");
        if (given(target, kCommand) && given(input->get_object(), kCommand))
            return at_member("input", "also names a command; remove one of the two");
    }
    return std::nullopt;
}

// Turns a short form into a task with an input. REQUIRES: check_form accepted it.
void become_task(object& target, std::string_view form) {
    object input;
    if (const auto* const own = target.if_contains("input"); own != nullptr && own->is_object())
        input = own->get_object();
    const auto move = [&](std::string_view name) {
        if (const auto* const value = target.if_contains(name)) input[name] = *value;
        target.erase(name);
    };
    if (form == kHttp) {
        // In the order in which people write a call.
        move("method");
        for (const auto name : kHttpMembers) move(name);
    } else {
        move(kCommand);
    }
    target["type"] = name_of(model::TargetType::task);
    target["taskKind"] = form;
    if (form == kHttp || !input.empty())
        target["input"] = std::move(input);  // without any member, the validation of the input reports what is missing
}

void say_method(object& target) {
    auto* const input = target.if_contains("input");
    if (input == nullptr || !input->is_object() || given(input->get_object(), "method")) return;
    input->get_object()["method"] = model::kHttpMethods[0];
}

}  // namespace

std::vector<Member> target_form_members() {
    return {
        {"url", text(kTargetUrlMax), "URL that an `http` target calls."},
        {"method", text(), "HTTP method of an `http` target. Defaults to `GET`."},
        {"headers", map_of(text()), "Request headers of an `http` target."},
        {"body", anything(), "Request body of an `http` target. A string is sent unchanged, any other value as JSON."},
        {"expectedStatus", list_of(anything()),
         "Status codes that count as success of an `http` target, for example `[200, \"3xx\"]`. Defaults to every "
         "2xx."},
        {"signed", boolean(), "Whether the server signs the request of an `http` target."},
        {"timeoutMs", integer(1), "Maximum duration of the request of an `http` target, in milliseconds."},
        {"command", text(), "Registered command that a `command` target runs. `input` holds its other members."}};
}

std::optional<Error> settle_target(object& target) {
    const auto form = form_of(target);
    if (auto error = check_form(target, form)) return error;
    if (form.empty()) return std::nullopt;
    become_task(target, form);
    if (form == kHttp) say_method(target);
    return std::nullopt;
}

std::optional<Error> settle_target_patch(object& target, const model::Target& stored) {
    auto form = form_of(target);
    // A patch of the stored kind needs no type.
    if (form.empty() && !given(target, "type") && stored.type == model::TargetType::task &&
        (stored.kind == kHttp || stored.kind == kCommand)) {
        const bool own = stored.kind == kHttp
                             ? std::ranges::any_of(kHttpMembers, [&](auto name) { return target.contains(name); })
                             : given(target, kCommand);
        if (own) form = stored.kind == kHttp ? kHttp : kCommand;
    }
    if (auto error = check_form(target, form)) return error;
    if (form.empty()) return std::nullopt;
    become_task(target, form);
    if (form == kHttp && !(stored.type == model::TargetType::task && stored.kind == kHttp)) say_method(target);
    return std::nullopt;
}

Error in_target_form(const object& target, Error error) {
    for (auto& other : error.more) other = in_target_form(target, std::move(other));
    constexpr std::string_view kInput = "/target/input";
    const auto form = form_of(target);
    if (form.empty() || !error.field.starts_with(kInput)) return error;
    const auto member = error.field.substr(kInput.size());
    const bool beside = form == kCommand ? member == "/command" : !given(target, "input");
    if (beside) error.field = "/target" + (member.empty() ? "/url" : member);
    return error;
}

}  // namespace belfry::api
