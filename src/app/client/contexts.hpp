// Contexts: named servers that commands can call, in a TOML file of the user.
//
//     current = "production"
//     [context.production]
//     url = "https://belfry.example"
//     tenant = "billing"
//     token = "…"
//
// The file is readable by its owner only, because it may hold tokens.
#pragma once

#include <map>
#include <string>

#include "base/process/process.hpp"
#include "base/result.hpp"

namespace belfry::app {

struct Context {
    std::string url;
    std::string tenant;
    std::string token;
    std::string authorities;  // `ca_file`
    friend bool operator==(const Context&, const Context&) = default;
};

struct Contexts {
    std::string current;  // empty: none
    std::map<std::string, Context> by_name;
};

// BELFRY_CONTEXTS, or belfry/contexts.toml in XDG_CONFIG_HOME or ~/.config. Empty without a home.
[[nodiscard]] std::string contexts_path(const Environment& environment);

// No contexts if there is no file.
[[nodiscard]] Result<Contexts> load_contexts(const std::string& path);
// Replaces the file as a whole.
[[nodiscard]] Result<void> save_contexts(const std::string& path, const Contexts& contexts);

// The context of that name, or the current one if the name is empty; an empty context if there is none.
[[nodiscard]] Result<Context> choose_context(const Contexts& contexts, const std::string& name);

}  // namespace belfry::app
