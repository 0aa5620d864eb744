#include "app/server/commands_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>

#include "api/contract/shape.hpp"
#include "api/contract/values.hpp"
#include "app/cli/text_file.hpp"
#include "app/settings/toml_file.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/time/duration.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::app {

namespace {

using api::Presence;

constexpr std::int64_t kCommandsMax = 1'000;
constexpr std::int64_t kArgumentCountMax = 1'000;
constexpr std::int64_t kNamesMax = 1'000;  // of variables and of tenants
constexpr std::int64_t kNumberMax = 1'000'000'000;
constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr const char* kUnprivilegedUser = "nobody";  // the default user for commands if the server is root
constexpr Micros kTimeoutMax = std::chrono::hours{24 * 7};

// The input of tasks names the command, so the rule is that of node ids.
std::optional<Error> check_command_name(std::string_view text) {
    if (model::is_node_id(text)) return std::nullopt;
    return invalid(model::kNodeIdRule);
}

std::optional<Error> check_variable(std::string_view text) {
    if (text.empty() || text.find('=') != std::string_view::npos) return invalid("is not the name of a variable");
    if (text.starts_with("BELFRY_"))
        return invalid("the server's own variables may hold secrets, and those of the task are always set: remove it");
    return api::check_name(text);
}

std::optional<Error> check_timeout(std::string_view text) {
    const auto timeout = parse_duration(text);
    if (!timeout) return invalid(timeout.error().message);
    if (*timeout < std::chrono::milliseconds{1} || *timeout > kTimeoutMax)
        return invalid("must be from 1 ms to 7 days");
    return std::nullopt;
}

api::ShapePtr command_shape() {
    return api::record("",
                       {{"name", api::checked_text("name", &check_command_name), "", Presence::required},
                        {"argv", api::list_of(api::text(), kArgumentCountMax), "", Presence::required},
                        {"environment", api::list_of(api::checked_text("variable", &check_variable), kNamesMax), ""},
                        {"timeout", api::checked_text("duration", &check_timeout), ""},
                        {"output_max", api::integer(0, engine::kCommandOutputMax), ""},
                        {"working_directory", api::text(), ""},
                        {"user", api::name_text(), ""},
                        {"namespaces", api::boolean(), ""},
                        {"tenants", api::list_of(api::name_text(), kNamesMax), ""},
                        {"cpu_seconds", api::integer(1, kNumberMax), ""},
                        {"memory_mb", api::integer(1, kNumberMax), ""},
                        {"file_mb", api::integer(0, kNumberMax), ""},
                        {"open_files", api::integer(3, kNumberMax), ""},
                        {"processes", api::integer(1, kNumberMax), ""}});
}

const api::Shape& commands_shape() {
    static const auto shape = api::record("", {{"command", api::list_of(command_shape(), kCommandsMax), ""}});
    return *shape;
}

std::vector<std::string> texts_in(const boost::json::array& list) {
    std::vector<std::string> texts;
    for (const auto& each : list) texts.emplace_back(std::string_view(each.get_string()));
    return texts;
}

std::optional<std::uint64_t> bytes_of(const std::optional<std::int64_t>& megabytes) {
    if (!megabytes) return std::nullopt;
    return static_cast<std::uint64_t>(*megabytes) * kMegabyte;
}

std::optional<std::uint64_t> count_of(const std::optional<std::int64_t>& number) {
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

// Root ignores the limit `processes` and can read every file, so a command runs as root only if the operator sets it.
Result<std::optional<SystemUser>> user_named(const std::optional<std::string>& name) {
    if (!name && ::geteuid() != 0) return std::optional<SystemUser>();
    auto user = find_system_user(name.value_or(kUnprivilegedUser));
    if (!user)
        return in_field(invalid(user.error().message + (name ? "" : "; set user to the one that runs the command")),
                        "/user");
    if (user->user == ::geteuid()) return std::optional<SystemUser>();
    if (::geteuid() != 0)
        return in_field(invalid("only a server that runs as root can change the user: remove it"), "/user");
    return std::optional(std::move(*user));
}

Result<engine::Command> read_command(const Json& json) {
    const api::Values values(json);
    engine::Command command;
    command.name = values.text("name").value_or("");
    command.argv = texts_in(values.array("argv"));
    command.environment = texts_in(values.array("environment"));
    if (const auto timeout = values.text("timeout"))
        command.timeout = std::chrono::ceil<std::chrono::milliseconds>(parse_duration(*timeout).value());
    command.output_max = static_cast<std::size_t>(values.integer("output_max").value_or(engine::kCommandOutputMax));
    command.working_directory = values.text("working_directory").value_or(command.working_directory);
    command.tenants = texts_in(values.array("tenants"));
    if (values.has("tenants") && command.tenants.empty())
        return in_field(invalid("name at least one tenant, or remove tenants to allow all"), "/tenants");
    if (const auto seconds = values.integer("cpu_seconds")) command.sandbox.cpu_time = Seconds(*seconds);
    command.sandbox.memory_bytes = bytes_of(values.integer("memory_mb"));
    command.sandbox.file_bytes = bytes_of(values.integer("file_mb"));
    command.sandbox.open_files = count_of(values.integer("open_files"));
    command.sandbox.processes = count_of(values.integer("processes"));
    auto user = user_named(values.text("user"));
    if (!user) return user.error();
    command.sandbox.run_as = std::move(*user);
    if (!values.boolean("namespaces").value_or(true)) command.sandbox.isolation = Isolation::subreaper;
    if (auto error = engine::check_command(command)) return *error;
    return command;
}

bool reads_our_files(const engine::Command& command) {
    return !command.sandbox.run_as && command.sandbox.isolation.value_or(strongest_isolation()) == Isolation::subreaper;
}

void warn_about(const engine::Command& command, LoadedCommands& loaded) {
    const auto& program = command.argv.front();
    if (::access(program.c_str(), X_OK) != 0)
        loaded.warnings.push_back("the command " + command.name + ": " + program + " is not executable");
    if (::geteuid() == 0 && !command.sandbox.run_as) {
        loaded.warnings.push_back(
            "the command " + command.name +
            " runs as root: it can read the server's secrets, and processes does not limit it; set another user");
    }
}

// One line for all commands, because they share the cause.
void warn_about_reach(LoadedCommands& loaded) {
    std::string names;
    for (const auto& [name, command] : loaded.commands) {
        if (::geteuid() != 0 && reads_our_files(command)) names += (names.empty() ? "" : ", ") + name;
    }
    if (names.empty()) return;
    loaded.warnings.push_back(
        "these commands run as the server's own user without namespaces, so they can read secret.key and the "
        "database: " +
        names +
        "; allow user namespaces on this machine, or run the server as root, which runs commands as another user");
}

Result<LoadedCommands> read_commands(const Json& root) {
    if (auto errors = api::check(root, commands_shape()); !errors.empty()) return errors.front();
    LoadedCommands loaded;
    const api::Values file(root);
    const auto& list = file.array("command");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto field = "/command/" + std::to_string(i);
        auto command = read_command(list[i]);
        if (!command) return in_field(command.error(), field);
        if (loaded.commands.contains(command->name))
            return in_field(invalid("this command name is listed twice: keep one"), field + "/name");
        warn_about(*command, loaded);
        auto name = command->name;
        loaded.commands.emplace(std::move(name), std::move(*command));
    }
    warn_about_reach(loaded);
    if (loaded.commands.empty())
        loaded.warnings.emplace_back("the commands_file contains no command: command tasks stay disabled");
    return loaded;
}

}  // namespace

Result<LoadedCommands> load_commands_file(const std::string& path) {
    if (path.empty()) return LoadedCommands{};
    const auto tree = read_toml_tree(path);
    if (!tree) return tree.error();
    // A user who can change this file can run any program as the server.
    if (others_can_write(path)) return invalid(path + " is writable by every user of this machine: chmod o-w " + path);
    auto loaded = read_commands(tree->root);
    if (loaded) return loaded;
    return in_toml_file(path, *tree, loaded.error());
}

}  // namespace belfry::app
