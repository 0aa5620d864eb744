#include "app/toml_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>

namespace belfry::app {

namespace {

constexpr std::size_t kFileMax = std::size_t{1} << 20;  // a megabyte is no settings file

Result<std::string> text_of(const toml::node& node) {
    if (const auto* const text = node.as_string()) return text->get();
    if (const auto* const number = node.as_integer()) return std::to_string(number->get());
    if (const auto* const flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
    return invalid("write a whole number or a text in quotes");
}

}  // namespace

Result<std::vector<TomlEntry>> read_toml(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(kFileMax + 1, '\0');
    // A folder can be opened, but not read.
    if (!file || (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof())) return invalid("cannot read the file " + path);
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kFileMax) return invalid(path + " is longer than a megabyte");
    try {
        std::vector<std::pair<toml::source_position, TomlEntry>> found;
        const auto table = toml::parse(text);
        for (const auto& [key, node] : table) found.push_back({node.source().begin, {std::string(key.str()), text_of(node)}});
        std::ranges::sort(found, {}, [](const auto& each) { return std::pair(each.first.line, each.first.column); });
        std::vector<TomlEntry> entries;
        for (auto& each : found) entries.push_back(std::move(each.second));
        return entries;
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        return invalid(path + ", line " + std::to_string(begin.line) + ", column " + std::to_string(begin.column) + ": " +
                       std::string(error.description()));
    }
}

}  // namespace belfry::app
