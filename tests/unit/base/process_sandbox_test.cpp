#include "base/process_sandbox.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/processes.hpp"
#include "support/temp_folder.hpp"
#include "support/waiting.hpp"

namespace belfry {
namespace {

using namespace std::chrono_literals;
using namespace test;

ProcessRequest sandboxed(ProcessRequest request, const ProcessSandbox& sandbox) {
    request.sandbox = sandbox;
    return request;
}

TEST(ProcessSandbox, SetsNoNewPrivilegesAndDumpsNoCore) {
    const auto status = run(sandboxed({.argv = {"/bin/cat", "/proc/self/status"}}, {})).output.text;
    EXPECT_EQ(line_of(status, "NoNewPrivs:"), "1");
    EXPECT_EQ(line_of(status, "Umask:"), "0077");
    const auto limits = run(sandboxed({.argv = {"/bin/cat", "/proc/self/limits"}}, {})).output.text;
    EXPECT_TRUE(line_of(limits, "Max core file size").starts_with("0 ")) << limits;
}

TEST(ProcessSandbox, SetsTheLimitsForGood) {
    const ProcessSandbox sandbox{.cpu_time = 5s, .memory_bytes = 1 << 30, .file_bytes = 1 << 20, .open_files = 50, .processes = 500, .mask = 0027};
    const auto limits = run(sandboxed({.argv = {"/bin/cat", "/proc/self/limits"}}, sandbox)).output.text;
    const auto row = [&](const char* name) {
        std::istringstream words(line_of(limits, name));
        std::string soft;
        std::string hard;
        words >> soft >> hard;
        return soft + " " + hard;
    };
    EXPECT_EQ(row("Max cpu time"), "5 6");
    EXPECT_EQ(row("Max address space"), "1073741824 1073741824");
    EXPECT_EQ(row("Max file size"), "1048576 1048576");
    EXPECT_EQ(row("Max open files"), "50 50");
    EXPECT_EQ(row("Max processes"), "500 500");
    EXPECT_EQ(run(sandboxed(shell("umask"), sandbox)).output.text, "0027\n");
}

TEST(ProcessSandbox, StopsAFileThatGrowsTooLarge) {
    const TempFolder folder;
    const auto file = folder.file("large");
    const auto result = run(sandboxed({.argv = {"/bin/dd", "if=/dev/zero", "of=" + file, "bs=64k", "count=64"}}, {.file_bytes = 1 << 20}));
    EXPECT_EQ(result.signal, SIGXFSZ);
    EXPECT_EQ(std::filesystem::file_size(file), std::size_t{1} << 20);
}

TEST(ProcessSandbox, RefusesMemoryBeyondTheLimit) {
    const ProcessRequest request{.argv = {"/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=256M", "count=1"}};
    EXPECT_EQ(run(request).exit_code, 0);
    const auto result = run(sandboxed(request, {.memory_bytes = 64 << 20}));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.text.find("memory exhausted"), std::string::npos) << result.errors.text;
}

TEST(ProcessSandbox, EndsAChildThatUsedUpItsProcessorTime) {
    const auto result = run(sandboxed(shell("while :; do :; done"), {.cpu_time = 1s}));
    EXPECT_EQ(result.signal, SIGXCPU);
    EXPECT_EQ(result.ending, ProcessResult::Ending::by_itself);
    EXPECT_GT(result.cpu_time, 500ms);
}

TEST(ProcessSandbox, RunsAsAnotherUserWithNothingOfOurs) {
    auto nobody = find_system_user("nobody");
    ASSERT_TRUE(nobody) << nobody.error().message;
    const auto request = sandboxed(shell("id -u; id -g; id -G; cat /proc/self/status"), {.run_as = *nobody});
    if (::geteuid() != 0) {
        EXPECT_EQ(refusal(request), " cannot start /bin/sh: only root can start it as another user: Operation not permitted");
        return;
    }
    // A group that only we are in.
    std::vector<gid_t> ours(static_cast<std::size_t>(::getgroups(0, nullptr)));
    ASSERT_EQ(::getgroups(static_cast<int>(ours.size()), ours.data()), static_cast<int>(ours.size()));
    const gid_t another = 4242;
    ASSERT_EQ(::setgroups(1, &another), 0);
    const auto text = run(request).output.text;
    ASSERT_EQ(::setgroups(ours.size(), ours.data()), 0);
    const auto user = std::to_string(nobody->user);
    const auto group = std::to_string(nobody->group);
    EXPECT_TRUE(text.starts_with(user + "\n" + group + "\n" + group + "\n")) << text;
    EXPECT_EQ(line_of(text, "Uid:"), user + "\t" + user + "\t" + user + "\t" + user);
    EXPECT_EQ(line_of(text, "Gid:"), group + "\t" + group + "\t" + group + "\t" + group);
    EXPECT_EQ(line_of(text, "CapEff:"), "0000000000000000");
    // The folder is entered as that user.
    const TempFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    auto closed = request;
    closed.working_directory = folder.path();
    EXPECT_NE(refusal(closed).find("Permission denied"), std::string::npos);
}

TEST(ProcessSandbox, EndsTheChildWhenWeDie) {
    const TempFolder folder;
    auto request = sandboxed(shell("echo $$ > id; mv id id.whole; exec sleep 600"), {});
    request.working_directory = folder.path();
    // In a process of its own, as it is to die.
    const pid_t runner = ::fork();
    ASSERT_GE(runner, 0);
    if (runner == 0) {
        static_cast<void>(run_process(request));
        ::_exit(0);
    }
    EXPECT_TRUE(within_a_minute([&] { return std::filesystem::exists(folder.file("id.whole")); }));
    pid_t child = 0;
    std::ifstream(folder.file("id.whole")) >> child;
    ASSERT_GT(child, 0);
    EXPECT_TRUE(is_alive(child));
    ::kill(runner, SIGKILL);
    ::waitpid(runner, nullptr, 0);
    EXPECT_TRUE(within_a_minute([&] { return !is_alive(child); }));
}

}  // namespace
}  // namespace belfry
