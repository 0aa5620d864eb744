#include "app/moving/command_name.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/ascii.hpp"

namespace belfry::app {

namespace command_name {

constexpr std::size_t kNameMax = 60;

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

std::string base_of(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return std::string(path.substr(path.rfind('/') + 1));
}

bool is_assignment(std::string_view word) {
    const auto equals = word.find('=');
    return equals != std::string_view::npos && equals > 0 &&
           std::ranges::all_of(word.substr(0, equals), [](char c) { return is_alpha(c) || is_digit(c) || c == '_'; });
}

// Only finds a name, so quotes are just removed.
std::vector<Words> parts_of(std::string_view command) {
    std::vector<Words> parts(1);
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) parts.back().push_back(word);
        word.clear();
    };
    for (const char c : command) {
        const bool ends_part = c == ';' || c == '&' || c == '|' || c == '(' || c == ')' || c == '\n';
        if (ends_part || is_blank(c)) end_word();
        if (ends_part && !parts.back().empty()) parts.emplace_back();
        if (!ends_part && !is_blank(c) && c != '"' && c != '\'') word += c;
    }
    end_word();
    return parts;
}

// The word that says what a part does; empty for parts that only prepare.
std::string telling_word(const Words& words) {
    for (const auto& word : words) {
        const auto base = base_of(word);
        if (is_one_of(base, {"cd", "[", "test", ".", "source", "export", "sleep", "umask", "set", "true", "if"}))
            return "";
        const bool wraps = is_one_of(base, {"nice",  "ionice", "flock",   "timeout", "sudo",   "env",       "time",
                                            "nohup", "exec",   "chronic", "command", "setsid", "run-parts", "sh",
                                            "bash",  "python", "python3", "php",     "perl",   "ruby",      "node",
                                            "java",  "then",   "root",    "docker",  "run",    "else",      "do"});
        const bool lock = base.ends_with(".lock") || word.starts_with("/var/lock") || word.starts_with("/tmp/");
        const bool other = word.starts_with('-') || is_digit(word[0]) || is_assignment(word) ||
                           word.find_first_of("<>$`!{}") != std::string::npos;
        if (!wraps && !lock && !other && !base.empty()) return base;
    }
    return "";
}

std::string without_extension(std::string name) {
    for (const std::string_view extension : {".sh", ".py", ".pl", ".php", ".rb", ".js", ".jar", ".bash"}) {
        if (name.size() > extension.size() && name.ends_with(extension))
            return name.substr(0, name.size() - extension.size());
    }
    return name;
}

std::string tidy(const std::string& word) {
    std::string name;
    for (const char c : word) {
        const bool plain = is_alpha(c) || is_digit(c) || c == '.' || c == '_';
        if (plain) name += c;
        if (!plain && !name.empty() && !name.ends_with('-')) name += '-';
        if (name.size() == kNameMax) break;
    }
    while (!name.empty() && !is_alpha(name.back()) && !is_digit(name.back())) name.pop_back();
    return name;
}

}  // namespace command_name

std::string name_of_command(std::string_view command) {
    using namespace command_name;
    for (const auto& part : parts_of(command)) {
        if (const auto name = tidy(without_extension(telling_word(part))); !name.empty()) return name;
    }
    return "";
}

std::string UniqueNames::take(const std::string& name) {
    auto unique = name;
    for (std::size_t i = 2; !taken_.insert(unique).second; ++i) unique = name + "-" + std::to_string(i);
    return unique;
}

}  // namespace belfry::app
