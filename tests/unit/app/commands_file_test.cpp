#include "app/server/commands_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/worlds/temp_folder.hpp"

namespace belfry::app {
namespace {

using Texts = std::vector<std::string>;

class CommandsFileTest : public testing::Test {
protected:
    [[nodiscard]] Result<LoadedCommands> load(const std::string& text) const {
        std::ofstream(path) << text;
        return load_commands_file(path);
    }
    // Without the name of the file, which every message begins with.
    [[nodiscard]] std::string error(const std::string& text) const {
        const auto loaded = load(text);
        if (loaded) return "";
        EXPECT_TRUE(loaded.error().message.starts_with(path + ", ")) << loaded.error().message;
        return loaded.error().message.substr(path.size() + 2);
    }

    test::TempFolder folder;
    std::string path = folder.file("commands.toml");
};

TEST_F(CommandsFileTest, WithoutAFileThereAreNoCommands) {
    const auto loaded = load_commands_file("");
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(loaded->commands.empty());
    EXPECT_FALSE(load_commands_file(folder.file("missing.toml")));
}

TEST_F(CommandsFileTest, CommandsAreReadWithTheirDefaults) {
    const auto loaded = load(R"(
[[command]]
name = "plain"
argv = ["/bin/echo"]

[[command]]
name = "backup"
argv = ["/bin/echo", "--target", "${input/target}"]
environment = ["PATH", "HOME"]
timeout = "PT10M"
output_max = 1000
working_directory = "/tmp"
tenants = ["default", "acme"]
cpu_seconds = 60
memory_mb = 512
file_mb = 1
open_files = 64
processes = 10
)");
    ASSERT_TRUE(loaded) << loaded.error().message;
    ASSERT_EQ(loaded->commands.size(), 2U);
    const auto& plain = loaded->commands.at("plain");
    EXPECT_EQ(plain.argv, Texts{"/bin/echo"});
    EXPECT_EQ(plain.environment, Texts{});
    EXPECT_EQ(plain.timeout, std::chrono::minutes{10});
    EXPECT_EQ(plain.output_max, 65'536U);
    EXPECT_EQ(plain.working_directory, "/");
    EXPECT_EQ(plain.tenants, Texts{});
    const auto& backup = loaded->commands.at("backup");
    EXPECT_EQ(backup.argv, (Texts{"/bin/echo", "--target", "${input/target}"}));
    EXPECT_EQ(backup.environment, (Texts{"PATH", "HOME"}));
    EXPECT_EQ(backup.output_max, 1'000U);
    EXPECT_EQ(backup.working_directory, "/tmp");
    EXPECT_EQ(backup.tenants, (Texts{"default", "acme"}));
    EXPECT_EQ(backup.sandbox.cpu_time, std::chrono::seconds{60});
    EXPECT_EQ(backup.sandbox.memory_bytes, 512'000'000U);
    EXPECT_EQ(backup.sandbox.file_bytes, 1'000'000U);
    EXPECT_EQ(backup.sandbox.open_files, 64U);
    EXPECT_EQ(backup.sandbox.processes, 10U);
}

TEST_F(CommandsFileTest, ErrorsNameTheLineTheMemberAndTheFix) {
    EXPECT_EQ(error("[[command]]\nname = \"a\"\n"), "line 1, command/0/argv: \"argv\" is missing; add it");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"echo\"]\n"),
              "line 3, command/0/argv: must start with the absolute path of the program, such as /usr/bin/rsync");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\",\n  \"${nodes.a.output}\"]\n"),
              "line 4, command/0/argv/1: ${nodes.a.output}: a command accepts only ${input/…} and ${run.…}");
    EXPECT_EQ(error("[[command]]\nname = \"a b\"\nargv = [\"/bin/echo\"]\n").substr(0, 24), "line 2, command/0/name: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\ntimout = \"PT1S\"\n").substr(0, 26),
              "line 4, command/0/timout: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\ntimeout = \"PT0S\"\n"),
              "line 4, command/0/timeout: must be from 1 ms to 7 days");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\noutput_max = 65537\n").substr(0, 30),
              "line 4, command/0/output_max: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\nenvironment = [\"BELFRY_STORE\"]\n"),
              "line 4, command/0/environment/0: the server's own variables may hold secrets, and those of the task are "
              "always set: remove it");
    EXPECT_EQ(
        error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\nuser = \"nobody-of-that-name\"\n").substr(0, 24),
        "line 4, command/0/user: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\ntenants = []\n"),
              "line 4, command/0/tenants: name at least one tenant, or remove tenants to allow all");
    EXPECT_EQ(
        error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n"),
        "line 5, command/1/name: this command name is listed twice: keep one");
}

TEST_F(CommandsFileTest, AFileThatEverybodyMayChangeIsRefused) {
    ASSERT_TRUE(load("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n"));
    std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
    const auto loaded = load_commands_file(path);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message, path + " is writable by every user of this machine: chmod o-w " + path);
}

TEST_F(CommandsFileTest, AnOperatorIsWarnedOfWhatIsProbablyNotMeant) {
    EXPECT_EQ(load("")->warnings, Texts{"the commands_file contains no command: command tasks stay disabled"});
    const auto warnings = load("[[command]]\nname = \"a\"\nargv = [\"/nonexistent\"]\n")->warnings;
    ASSERT_FALSE(warnings.empty());
    EXPECT_EQ(warnings[0], "the command a: /nonexistent is not executable");
}

TEST_F(CommandsFileTest, AServerThatIsRootRunsCommandsAsAnotherUser) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can";
    const std::string echo = "[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n";
    const auto usual = load(echo);
    EXPECT_EQ(usual->warnings, Texts{});
    EXPECT_EQ(usual->commands.at("a").sandbox.run_as, find_system_user("nobody").value());
    const auto root = load(echo + "user = \"root\"\n");
    EXPECT_EQ(root->commands.at("a").sandbox.run_as, std::nullopt);
    EXPECT_EQ(root->warnings, Texts{"the command a runs as root: it can read the server's secrets, and processes does "
                                    "not limit it; set another user"});
}

TEST_F(CommandsFileTest, NamespacesCanBeSwitchedOff) {
    const std::string echo = "[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n";
    EXPECT_EQ(load(echo)->commands.at("a").sandbox.isolation, std::nullopt);
    EXPECT_EQ(load(echo + "namespaces = true\n")->commands.at("a").sandbox.isolation, std::nullopt);
    const auto without = load(echo + "namespaces = false\n");
    EXPECT_EQ(without->commands.at("a").sandbox.isolation, Isolation::subreaper);
    if (::geteuid() == 0) return;
    ASSERT_EQ(without->warnings.size(), 1U);
    EXPECT_NE(without->warnings[0].find("they can read secret.key and the database: a; "), std::string::npos)
        << without->warnings[0];
}

}  // namespace
}  // namespace belfry::app
