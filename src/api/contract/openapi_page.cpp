#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "api/contract/openapi.hpp"
#include "base/text/ascii.hpp"

namespace belfry::api {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #2563eb; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem 1.5rem 4rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
code { font: 0.875em ui-monospace, monospace; } a { color: var(--accent); }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.5rem 0; padding: 0 0.75rem; }
summary { cursor: pointer; padding: 0.5rem 0; } summary code { font-weight: 600; }
.method { display: inline-block; min-width: 5em; font-weight: 700; } .soft { opacity: 0.75; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; font-size: 0.9375rem; }
td, th { border-top: 1px solid var(--line); padding: 0.3rem 0.6rem 0.3rem 0; text-align: left; vertical-align: top; }
pre { background: var(--soft); border-radius: 6px; overflow-x: auto; padding: 0.75rem; }
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

// Turns backquotes into `<code>`.
std::string prose(std::string_view text) {
    std::string out;
    bool inside = false;
    for (const char c : escaped(text)) {
        if (c != '`') {
            out += c;
            continue;
        }
        out += inside ? "</code>" : "<code>";
        inside = !inside;
    }
    return inside ? out + "</code>" : out;
}

std::string text_at(const object& members, std::string_view name) {
    const auto* const value = members.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(std::string_view(value->get_string())) : std::string();
}

// A group as the target of a link, which may not contain blanks.
std::string anchor(std::string group) {
    std::ranges::replace(group, ' ', '-');
    return "group-" + escaped(group);
}

std::string code(std::string_view text) { return "<code>" + escaped(text) + "</code>"; }

// Describes a schema in a few words.
std::string words_for(const Json& schema) {
    const auto& members = schema.get_object();
    if (const auto reference = text_at(members, "$ref"); !reference.empty()) {
        const auto name = reference.substr(reference.rfind('/') + 1);
        return "<a href=\"#" + escaped(name) + "\">" + escaped(name) + "</a>";
    }
    if (const auto* const any = members.if_contains("anyOf")) return words_for(any->get_array().front()) + " or null";
    if (const auto* const choices = members.if_contains("enum")) {
        std::string all;
        for (const auto& choice : choices->get_array())
            all += (all.empty() ? "" : ", ") + code(choice.is_null() ? "null" : std::string(choice.get_string()));
        return all;
    }
    const auto* const type = members.if_contains("type");
    if (type == nullptr) return "anything";
    const bool nullable = type->is_array();
    const auto name = std::string(nullable ? type->get_array().front().get_string() : type->get_string());
    auto words = name == "array" ? "list of " + words_for(members.at("items")) : name;
    if (const auto format = text_at(members, "format"); !format.empty()) words = escaped(format);
    if (const auto* const values = members.if_contains("additionalProperties");
        values != nullptr && values->is_object())
        words = "map of " + words_for(*values);
    if (const auto* const least = members.if_contains("minimum")) words += ", at least " + to_text(*least);
    if (const auto* const most = members.if_contains("maximum")) words += ", at most " + to_text(*most);
    return nullable ? words + " or null" : words;
}

bool is_required(const object& schema, std::string_view name) {
    const auto* const required = schema.if_contains("required");
    if (required == nullptr) return false;
    return std::ranges::any_of(required->get_array(),
                               [&](const Json& one) { return std::string_view(one.get_string()) == name; });
}

std::string members_table(const object& schema) {
    const auto* const properties = schema.if_contains("properties");
    if (properties == nullptr || properties->get_object().empty()) return "";
    std::string out = "<table>";
    for (const auto& member : properties->get_object()) {
        out += "<tr><td>" + code(member.key()) +
               (is_required(schema, member.key()) ? "" : " <span class=\"soft\">optional</span>") + "</td><td>" +
               words_for(member.value()) + "</td><td>" + prose(text_at(member.value().get_object(), "description")) +
               "</td></tr>";
    }
    return out + "</table>";
}

std::string content_words(const object& content) {
    for (const auto& media : content) {
        const auto* const schema = media.value().get_object().if_contains("schema");
        return schema == nullptr ? code(media.key()) : words_for(*schema);
    }
    return "";
}

std::string operation_html(const std::string& method, std::string_view path, const object& operation) {
    std::string out = "<details id=\"" + escaped(text_at(operation, "operationId")) +
                      "\"><summary><span class=\"method\">" + escaped(method) + "</span> " + code(path) +
                      " <span class=\"soft\">" + prose(text_at(operation, "summary")) + "</span></summary>";
    if (const auto details = text_at(operation, "description"); !details.empty())
        out += "<p>" + prose(details) + "</p>";
    out += "<p class=\"soft\">Requires the permission " + code(text_at(operation, "x-permission")) + ". Operation " +
           code(text_at(operation, "operationId")) + ".</p>";
    if (const auto& parameters = operation.at("parameters").get_array(); !parameters.empty()) {
        out += "<table>";
        for (const auto& one : parameters) {
            const auto& parameter = one.get_object();
            out += "<tr><td>" + code(text_at(parameter, "name")) + " <span class=\"soft\">" +
                   escaped(text_at(parameter, "in")) + "</span></td><td>" + words_for(parameter.at("schema")) +
                   "</td><td>" + prose(text_at(parameter, "description")) + "</td></tr>";
        }
        out += "</table>";
    }
    if (const auto* const body = operation.if_contains("requestBody")) {
        out += "<p>Body: " + content_words(body->get_object().at("content").get_object()) + ".</p>";
    }
    for (const auto& response : operation.at("responses").get_object()) {
        const auto& members = response.value().get_object();
        const auto* const content = members.if_contains("content");
        out += "<p>" + code(response.key()) + " " + prose(text_at(members, "description")) +
               (content != nullptr ? " " + content_words(content->get_object()) : std::string()) + "</p>";
    }
    return out + "</details>";
}

std::string schemas_html(const object& schemas) {
    std::string out = "<h2>Schemas</h2>";
    for (const auto& schema : schemas) {
        const auto& members = schema.value().get_object();
        out += "<h3 id=\"" + escaped(schema.key()) + "\">" + escaped(schema.key()) + "</h3>" + members_table(members);
        if (const auto* const examples = members.if_contains("examples")) {
            out += "<pre><code>" + escaped(to_text(examples->get_array().front())) + "</code></pre>";
        }
    }
    return out;
}

}  // namespace

std::string openapi_page(const Json& document) {
    const auto& root = document.get_object();
    std::map<std::string, std::string> groups;
    std::vector<std::string> order;
    for (const auto& path : root.at("paths").get_object()) {
        for (const auto& operation : path.value().get_object()) {
            const auto& members = operation.value().get_object();
            const std::string group(members.at("tags").get_array().front().get_string());
            std::string method(operation.key());
            std::ranges::transform(method, method.begin(),
                                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
            groups[group] += operation_html(method, path.key(), members);
        }
    }
    const auto& info = root.at("info").get_object();
    std::string out =
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\">";
    out += "<title>Belfry API</title><style>" + std::string(kStyle) + "</style></head><body><h1>Belfry API</h1>";
    out += "<p>" + prose(text_at(info, "summary")) + " Version " + escaped(text_at(info, "version")) +
           ". OpenAPI document: <a href=\"/api/openapi.json\">openapi.json</a>.</p><p>";
    for (const auto& [group, html] : groups) out += "<a href=\"#" + anchor(group) + "\">" + escaped(group) + "</a> ";
    out += "</p>";
    for (const auto& [group, html] : groups)
        out += "<h2 id=\"" + anchor(group) + "\">" + escaped(group) + "</h2>" + html;
    return out + schemas_html(root.at("components").get_object().at("schemas").get_object()) + "</body></html>";
}

}  // namespace belfry::api
