#include "app/commands_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.hpp"

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
              "line 3, command/0/argv: begin with the absolute path of the program, such as /usr/bin/rsync");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\",\n  \"${nodes.a.output}\"]\n"),
              "line 4, command/0/argv/1: ${nodes.a.output}: a command knows only ${input/…} and ${run.…}");
    EXPECT_EQ(error("[[command]]\nname = \"a b\"\nargv = [\"/bin/echo\"]\n").substr(0, 24), "line 2, command/0/name: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\ntimout = \"PT1S\"\n").substr(0, 26), "line 4, command/0/timout: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\ntimeout = \"PT0S\"\n"),
              "line 4, command/0/timeout: must be from 1 ms to 7 days");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\noutput_max = 65537\n").substr(0, 30), "line 4, command/0/output_max: ");
    EXPECT_EQ(
        error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\nenvironment = [\"BELFRY_STORE\"]\n"),
        "line 4, command/0/environment/0: variables of the server's own may hold secrets, and those of the task are given anyway: leave it out");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\nuser = \"nobody-of-that-name\"\n").substr(0, 24), "line 4, command/0/user: ");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\ntenants = []\n"),
              "line 4, command/0/tenants: name at least one, or leave it out: then it is everybody's");
    EXPECT_EQ(error("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n"),
              "line 5, command/1/name: a command of this name stands here twice; keep one");
}

TEST_F(CommandsFileTest, AFileThatEverybodyMayChangeIsRefused) {
    ASSERT_TRUE(load("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\n"));
    std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
    const auto loaded = load_commands_file(path);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message, path + " can be changed by everybody on this machine: chmod o-w " + path);
}

TEST_F(CommandsFileTest, AnOperatorIsWarnedOfWhatIsProbablyNotMeant) {
    EXPECT_EQ(load("")->warnings, Texts{"the commands_file has no command: command tasks stay switched off"});
    const auto warnings = load("[[command]]\nname = \"a\"\nargv = [\"/nonexistent\"]\n")->warnings;
    ASSERT_FALSE(warnings.empty());
    EXPECT_EQ(warnings[0], "the command a: /nonexistent cannot be run");
    if (::geteuid() != 0) return;
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[1], "the command a runs as root: give it a user");
    const auto loaded = load("[[command]]\nname = \"a\"\nargv = [\"/bin/echo\"]\nuser = \"nobody\"\n");
    EXPECT_EQ(loaded->warnings, Texts{});
    EXPECT_TRUE(loaded->commands.at("a").sandbox.run_as.has_value());
}

}  // namespace
}  // namespace belfry::app
