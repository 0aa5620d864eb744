#include "app/client/contexts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/settings/toml_file.hpp"
#include "base/process/descriptor.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/nearest.hpp"

namespace belfry::app {

namespace {

namespace fs = std::filesystem;

struct Member {
    std::string_view name;
    std::string Context::*place;
};
constexpr std::array kMembers{Member{"url", &Context::url}, Member{"tenant", &Context::tenant},
                              Member{"token", &Context::token}, Member{"ca_file", &Context::authorities}};

std::string variable(const Environment& environment, const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
}

Result<Context> read_context(const boost::json::object& members, const std::string& pointer) {
    Context context;
    for (const auto& [key, value] : members) {
        const auto* const member = std::ranges::find(kMembers, std::string_view(key), &Member::name);
        auto field = pointer + pointer_step(key);
        if (member == kMembers.end())
            return Error{ErrorCode::invalid_argument, "unknown: use url, tenant, token or ca_file", std::move(field)};
        if (!value.is_string()) return Error{ErrorCode::invalid_argument, "use a quoted string", std::move(field)};
        context.*member->place = value.get_string();
    }
    return context;
}

Result<Contexts> read_tree(const Json& root) {
    Contexts contexts;
    for (const auto& [key, value] : root.get_object()) {
        const auto pointer = pointer_step(key);
        if (key == "current" && value.is_string()) {
            contexts.current = value.get_string();
        } else if (key == "context" && value.is_object()) {
            for (const auto& [name, members] : value.get_object()) {
                const auto place = pointer + pointer_step(name);
                if (!members.is_object()) return Error{ErrorCode::invalid_argument, "use a table", place};
                auto context = read_context(members.get_object(), place);
                if (!context) return context.error();
                contexts.by_name[std::string(name)] = std::move(*context);
            }
        } else {
            return Error{ErrorCode::invalid_argument, "use current = \"NAME\" and tables [context.NAME]", pointer};
        }
    }
    return contexts;
}

// A JSON string is a TOML basic string.
std::string toml_text(const std::string& text) { return to_text(Json(text)); }

std::string toml_of(const Contexts& contexts) {
    std::string text;
    if (!contexts.current.empty()) text += "current = " + toml_text(contexts.current) + "\n";
    for (const auto& [name, context] : contexts.by_name) {
        text += "\n[context." + toml_text(name) + "]\n";
        for (const auto& member : kMembers) {
            if (const auto& value = context.*member.place; !value.empty())
                text += std::string(member.name) + " = " + toml_text(value) + "\n";
        }
    }
    return text;
}

Error cannot_write(const std::string& path) {
    return {ErrorCode::unknown, "cannot write " + path + ": " + std::strerror(errno)};
}

}  // namespace

std::string contexts_path(const Environment& environment) {
    if (auto path = variable(environment, "BELFRY_CONTEXTS"); !path.empty()) return path;
    if (const auto folder = variable(environment, "XDG_CONFIG_HOME"); !folder.empty())
        return folder + "/belfry/contexts.toml";
    const auto home = variable(environment, "HOME");
    return home.empty() ? "" : home + "/.config/belfry/contexts.toml";
}

Result<Contexts> load_contexts(const std::string& path) {
    std::error_code failed;
    if (path.empty() || !fs::exists(path, failed)) return Contexts{};
    const auto tree = read_toml_tree(path);
    if (!tree) return tree.error();
    auto contexts = read_tree(tree->root);
    if (!contexts) return in_toml_file(path, *tree, contexts.error());
    return contexts;
}

// Written beside the file and renamed, so that a crash leaves the old or the new file.
Result<void> save_contexts(const std::string& path, const Contexts& contexts) {
    if (path.empty()) return invalid("set HOME or BELFRY_CONTEXTS: there is no place for the file of contexts");
    std::error_code failed;
    if (const auto folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directories(folder, failed);
    const auto fresh = path + ".new";
    const Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.number() < 0) return cannot_write(fresh);
    const auto text = toml_of(contexts);
    if (::write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::fsync(file.number()) != 0)
        return cannot_write(fresh);
    if (::rename(fresh.c_str(), path.c_str()) != 0) return cannot_write(path);
    return {};
}

Result<Context> choose_context(const Contexts& contexts, const std::string& name) {
    const auto& wanted = name.empty() ? contexts.current : name;
    if (wanted.empty()) return Context{};
    if (const auto found = contexts.by_name.find(wanted); found != contexts.by_name.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& each : contexts.by_name) names.push_back(each.first);
    const auto meant = nearest(wanted, names);
    return Error{ErrorCode::not_found, "there is no context " + in_quotes(wanted) +
                                           (meant ? ": did you mean " + *meant + "?" : "; see belfry context list")};
}

}  // namespace belfry::app
