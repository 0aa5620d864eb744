#include "app/settings/toml_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <sstream>

#include "app/cli/text_file.hpp"
#include "base/text/json_pointer.hpp"

namespace belfry::app {

namespace {

Result<toml::table> parse_file(const std::string& path) {
    const auto text = read_text_file(path);
    if (!text) return text.error();
    try {
        return toml::parse(*text);
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        return invalid(path + ", line " + std::to_string(begin.line) + ", column " + std::to_string(begin.column) +
                       ": " + std::string(error.description()));
    }
}

Result<std::string> text_of(const toml::node& node) {
    if (const auto* const text = node.as_string()) return text->get();
    if (const auto* const number = node.as_integer()) return std::to_string(number->get());
    if (const auto* const flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
    return invalid("use a whole number or a quoted string");
}

// The TOML library bounds the nesting depth.
Json json_of(const toml::node& node, const std::string& pointer, TomlTree& tree) {
    tree.lines[pointer] = node.source().begin.line;
    if (const auto* const table = node.as_table()) {
        boost::json::object object;
        for (const auto& [key, value] : *table) {
            const std::string name(key.str());
            object[name] = json_of(value, pointer + pointer_step(name), tree);
            tree.lines[pointer + pointer_step(name)] = key.source().begin.line;
        }
        return object;
    }
    if (const auto* const list = node.as_array()) {
        boost::json::array array;
        for (const auto& value : *list)
            array.push_back(json_of(value, pointer + "/" + std::to_string(array.size()), tree));
        return array;
    }
    if (const auto* const text = node.as_string()) return Json(text->get());
    if (const auto* const number = node.as_integer()) return Json(number->get());
    if (const auto* const real = node.as_floating_point()) return Json(real->get());
    if (const auto* const flag = node.as_boolean()) return Json(flag->get());
    std::ostringstream date;
    node.visit([&date](const auto& value) { date << value; });
    return Json(date.str());
}

}  // namespace

Result<std::vector<TomlEntry>> read_toml(const std::string& path) {
    const auto table = parse_file(path);
    if (!table) return table.error();
    std::vector<std::pair<toml::source_position, TomlEntry>> found;
    for (const auto& [key, node] : *table)
        found.push_back({node.source().begin, {std::string(key.str()), text_of(node)}});
    std::ranges::sort(found, {}, [](const auto& each) { return std::pair(each.first.line, each.first.column); });
    std::vector<TomlEntry> entries;
    for (auto& each : found) entries.push_back(std::move(each.second));
    return entries;
}

std::size_t TomlTree::line_of(std::string pointer) const {
    while (!pointer.empty() && !lines.contains(pointer)) pointer.resize(pointer.rfind('/'));
    const auto found = lines.find(pointer);
    return found == lines.end() ? 1 : found->second;
}

Result<TomlTree> read_toml_tree(const std::string& path) {
    const auto table = parse_file(path);
    if (!table) return table.error();
    TomlTree tree;
    tree.root = json_of(*table, "", tree);
    return tree;
}

Error in_toml_file(const std::string& path, const TomlTree& tree, const Error& error) {
    const auto place = error.field.empty() ? std::string() : ", " + error.field.substr(1);
    return invalid(path + ", line " + std::to_string(tree.line_of(error.field)) + place + ": " + error.message);
}

}  // namespace belfry::app
