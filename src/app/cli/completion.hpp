// What a shell offers while a person types a command.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace belfry::app {

// The names of resources of a noun, from the server.
using NamesOf = std::function<std::vector<std::string>(const std::string& noun)>;

// What may follow: commands, flags, or names. The last word is being typed, and may be empty.
[[nodiscard]] std::vector<std::string> completions(const CLI::App& program, const std::vector<std::string>& words,
                                                   const NamesOf& names_of);

}  // namespace belfry::app
