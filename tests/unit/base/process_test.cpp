#include "base/process/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support/servers/processes.hpp"
#include "support/worlds/temp_folder.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry {
namespace {

using namespace std::chrono_literals;
using namespace test;
using Exit = ProcessResult::Exit;

// --- Streams, arguments, environment
// --------------------------------------------------------------------------------------

TEST(RunProcess, KeepsBothOutputsAndTheExitCode) {
    const auto result = run(shell("echo out; echo err >&2; exit 7"));
    EXPECT_EQ(result.output.text, "out\n");
    EXPECT_EQ(result.errors.text, "err\n");
    EXPECT_FALSE(result.output.cut || result.errors.cut);
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_EQ(result.signal, std::nullopt);
    EXPECT_EQ(result.exit, Exit::by_itself);
    EXPECT_GT(result.wall_time, 0us);
    EXPECT_EQ(run(shell("exit 0")).exit_code, 0);
    EXPECT_EQ(run(shell("exit 255")).exit_code, 255);
}

TEST(RunProcess, SaysWhichSignalEndedTheChild) {
    const auto result = run(shell("kill -SEGV $$"));
    EXPECT_EQ(result.signal, SIGSEGV);
    EXPECT_EQ(result.exit_code, std::nullopt);
    EXPECT_EQ(result.exit, Exit::by_itself);
}

TEST(RunProcess, GivesTheArgumentsAsTheyAre) {
    const auto result = run({.argv = {"/usr/bin/printf", "[%s]", "a b", "$(id)", "*", "", "'\"\n;"}});
    EXPECT_EQ(result.output.text, "[a b][$(id)][*][]['\"\n;]");
}

TEST(RunProcess, GivesTheEnvironmentAndNothingElse) {
    ::setenv("BELFRY_TEST_HUSH", "canary", 1);
    const auto result = run({.argv = {"/usr/bin/env"}, .environment = {{"A", "1"}, {"EMPTY", ""}, {"Z", "x=y z"}}});
    EXPECT_EQ(result.output.text, "A=1\nEMPTY=\nZ=x=y z\n");
    EXPECT_EQ(run({.argv = {"/usr/bin/env"}}).output.text, "");
    ::unsetenv("BELFRY_TEST_HUSH");
}

TEST(EnvironmentFrom, PicksTheNamesThatAreThereAndLetsThePairsWin) {
    ::setenv("BELFRY_TEST_A", "ours", 1);
    ::setenv("BELFRY_TEST_B", "ours", 1);
    EXPECT_EQ(environment_from({"BELFRY_TEST_A", "BELFRY_TEST_B", "BELFRY_TEST_NONE"},
                               {{"BELFRY_TEST_B", "theirs"}, {"MORE", "x"}}),
              (Environment{{"BELFRY_TEST_A", "ours"}, {"BELFRY_TEST_B", "theirs"}, {"MORE", "x"}}));
    EXPECT_EQ(environment_from({}), Environment{});
    ::unsetenv("BELFRY_TEST_A");
    ::unsetenv("BELFRY_TEST_B");
}

TEST(RunProcess, StartsInTheFolder) {
    EXPECT_EQ(run({.argv = {"/bin/pwd"}}).output.text, "/\n");
    EXPECT_EQ(run({.argv = {"/bin/pwd"}, .working_directory = "/usr"}).output.text, "/usr\n");
}

TEST(RunProcess, WritesAllOfTheInputToAChildThatReadsLate) {
    auto request = shell("sleep 0.3; wc -c");
    request.input = std::string(1 << 20, 'x');
    EXPECT_EQ(run(request).output.text, "1048576\n");
}

TEST(RunProcess, ReadsWhileItWrites) {
    std::string input;
    for (int i = 0; i < 300'000; ++i) input += std::to_string(i) + "\n";
    const auto result = run({.argv = {"/bin/cat"}, .input = input, .output_max = input.size()});
    EXPECT_TRUE(result.output.text == input);
    EXPECT_FALSE(result.output.cut);
}

TEST(RunProcess, IsNotHeldUpByAChildThatNeverReads) {
    auto request = shell("exec <&-; echo fine");
    request.input = std::string(1 << 20, 'x');
    EXPECT_EQ(run(request).output.text, "fine\n");
    request.argv.back() = "sleep 0.2; echo fine";
    EXPECT_EQ(run(request).output.text, "fine\n");
    // And the signal that writing to a closed pipe sends is not left behind.
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST(RunProcess, ClosesTheInputOfAChildThatIsGivenNone) { EXPECT_EQ(run({.argv = {"/bin/cat"}}).exit_code, 0); }

TEST(RunProcess, KeepsTheBeginningOfAFloodAndLetsTheChildFinish) {
    constexpr std::size_t kCap = 64 << 10;
    auto request = shell("head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; exit 3");
    request.output_max = kCap;
    std::size_t seen = 0;
    request.on_errors = [&](std::string_view piece) { seen += piece.size(); };
    const auto result = run(request);
    EXPECT_EQ(result.exit_code, 3);
    for (const auto* const each : {&result.output, &result.errors}) {
        EXPECT_EQ(each->text.size(), kCap);
        EXPECT_LE(each->text.capacity(), 2 * kCap);
        EXPECT_TRUE(each->cut);
    }
    EXPECT_EQ(seen, 100'000'000U);
}

TEST(RunProcess, DoesNotSayCutWhenTheOutputJustFits) {
    ProcessRequest request{.argv = {"/usr/bin/printf", "12345"}, .output_max = 5};
    EXPECT_FALSE(run(request).output.cut);
    request.output_max = 4;
    EXPECT_EQ(run(request).output.text, "1234");
    EXPECT_TRUE(run(request).output.cut);
    request.output_max = 0;
    EXPECT_EQ(run(request).output.text, "");
}

// --- How it ends
// -----------------------------------------------------------------------------------------------------------

TEST(RunProcess, AsksAChildToEndWhenItsTimeIsUp) {
    auto request = shell("exec sleep 600");
    request.timeout = 100ms;
    const auto result = run(request);
    EXPECT_EQ(result.exit, Exit::timed_out);
    EXPECT_EQ(result.signal, SIGTERM);
}

TEST(RunProcess, KillsAChildThatDoesNotHeedItsTimeout) {
    auto request = shell("trap '' TERM; echo deaf; while :; do sleep 1; done");
    request.timeout = 1s;
    request.grace = 100ms;
    const auto result = run(request);
    EXPECT_EQ(result.exit, Exit::timed_out);
    EXPECT_EQ(result.signal,
              result.output.text == "deaf\n" ? SIGKILL : SIGTERM);  // on a busy machine it may not come so far
}

TEST(RunProcess, LetsAnotherThreadCancelAndTheChildTidyUp) {
    std::stop_source source;
    auto request = shell("trap 'echo bye; exit 3' TERM; echo ready >&2; while :; do sleep 0.05; done");
    std::jthread other;
    request.on_errors = [&](std::string_view) { other = std::jthread([&] { source.request_stop(); }); };
    const auto result = run_process(request, source.get_token()).value();
    EXPECT_EQ(result.exit, Exit::cancelled);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.output.text, "bye\n");
}

TEST(RunProcess, KillsACancelledChildAfterTheGrace) {
    std::stop_source source;
    auto request = shell("trap '' TERM; echo ready >&2; while :; do sleep 1; done");
    request.grace = 50ms;
    request.on_errors = [&](std::string_view) { source.request_stop(); };
    const auto result = run_process(request, source.get_token()).value();
    EXPECT_EQ(result.exit, Exit::cancelled);
    EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunProcess, EndsAChildThatStoppedItself) {
    auto request = shell("kill -STOP $$");
    request.timeout = 200ms;
    const auto result = run(request);
    EXPECT_EQ(result.exit, Exit::timed_out);
    EXPECT_EQ(result.signal, SIGTERM);
}

TEST(RunProcess, DoesNotStartWhatWasCancelledBefore) {
    const TempFolder folder;
    std::stop_source source;
    source.request_stop();
    const auto result = run_process(shell("touch " + folder.file("started")), source.get_token()).value();
    EXPECT_EQ(result.exit, Exit::cancelled);
    EXPECT_EQ(result.exit_code, std::nullopt);
    EXPECT_EQ(result.signal, std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(folder.file("started")));
}

TEST(RunProcess, KillsWhatTheChildLeavesBehindInItsGroup) {
    const auto result = run(shell("sleep 600 & echo $!"));
    EXPECT_EQ(result.exit_code, 0);
    const auto left = static_cast<pid_t>(std::stol(result.output.text));
    EXPECT_TRUE(within_a_minute([&] { return !is_alive(left); }));
}

TEST(RunProcess, DoesNotWaitForADescendantThatLeftTheGroupWithTheOutput) {
    const TempFolder folder;
    auto request = shell(
        "setsid sh -c 'echo $$ > id; mv id id.whole; exec sleep 600' & while [ ! -e id.whole ]; do :; done; cat "
        "id.whole");
    request.working_directory = folder.path();
    const auto result = run(request);
    EXPECT_EQ(result.exit_code, 0);
    const auto left = static_cast<pid_t>(std::stol(result.output.text));
    EXPECT_TRUE(is_alive(left));
    ::kill(left, SIGKILL);
}

TEST(RunProcess, ReadsWhatAShortLivedChildWroteBeforeItEnded) {
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(run({.argv = {"/bin/echo", std::to_string(i)}}).output.text, std::to_string(i) + "\n");
}

TEST(RunProcess, EndsTheChildWhenTheCallerThrows) {
    auto request = shell("echo $$ >&2; exec sleep 600");
    pid_t child = 0;
    request.on_errors = [&](std::string_view piece) {
        child = static_cast<pid_t>(std::stol(std::string(piece)));
        throw std::runtime_error("on purpose");
    };
    EXPECT_THROW(static_cast<void>(run_process(request)), std::runtime_error);
    EXPECT_FALSE(is_alive(child));
}

TEST(RunProcess, WorksWhereTheKernelHasNoPidfd) {
    bool forbidden = false;
    std::optional<ProcessResult> ended;
    std::optional<ProcessResult> timed_out;
    // A filter holds for the thread that set it, and for its children.
    std::thread([&] {
        std::array<sock_filter, 5> code{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
                                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
        const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
            return;
        forbidden = ::syscall(SYS_pidfd_open, ::getpid(), 0) < 0;
        ended = run(shell("ls /proc/$$/fd; exit 4"));
        auto slow = shell("exec sleep 600");
        slow.timeout = 50ms;
        timed_out = run(slow);
    }).join();
    if (!forbidden) GTEST_SKIP() << "this machine lets no thread forbid itself a system call";
    EXPECT_EQ(ended->exit_code, 4);
    EXPECT_EQ(ended->output.text, "0\n1\n2\n");
    EXPECT_EQ(timed_out->exit, Exit::timed_out);
    EXPECT_EQ(timed_out->signal, SIGTERM);
}

// --- What the child inherits
// ----------------------------------------------------------------------------------------------

TEST(RunProcess, LeavesTheChildNoDescriptorOfOurs) {
    const int leaky = ::open("/etc/passwd", O_RDONLY);  // NOLINT: without O_CLOEXEC, as a library might
    ASSERT_EQ(::dup2(leaky, 200), 200);
    EXPECT_EQ(run(shell("ls /proc/$$/fd; :")).output.text, "0\n1\n2\n");
    ::close(leaky);
    ::close(200);
}

TEST(RunProcess, WorksInAProgramWithoutStandardStreams) {
    std::array<int, 3> saved{};
    for (int i = 0; i < 3; ++i) saved.at(static_cast<std::size_t>(i)) = ::fcntl(i, F_DUPFD_CLOEXEC, 100);
    for (int i = 0; i < 3; ++i) ::close(i);
    auto request = shell("cat; echo err >&2; ls /proc/$$/fd");
    request.input = "in\n";
    const auto result = run_process(request);
    for (int i = 0; i < 3; ++i) {
        ::dup2(saved.at(static_cast<std::size_t>(i)), i);
        ::close(saved.at(static_cast<std::size_t>(i)));
    }
    ASSERT_TRUE(result);
    EXPECT_EQ(result->output.text, "in\n0\n1\n2\n");
    EXPECT_EQ(result->errors.text, "err\n");
}

TEST(RunProcess, GivesTheChildTheUsualSignalsASessionAndAGroup) {
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &some, &before);
    const auto usual = std::signal(SIGPIPE, SIG_IGN);
    const auto status = run({.argv = {"/bin/cat", "/proc/self/status"}}).output.text;
    std::signal(SIGPIPE, usual);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(line_of(status, "SigBlk:"), "0000000000000000");
    EXPECT_EQ(line_of(status, "SigIgn:"), "0000000000000000");
    std::istringstream fields(run({.argv = {"/bin/cat", "/proc/self/stat"}}).output.text);
    std::array<std::string, 6> field;
    for (auto& each : field) fields >> each;
    EXPECT_EQ(field[4], field[0]);  // its group
    EXPECT_EQ(field[5], field[0]);  // its session
}

TEST(RunProcess, RunsManyAtOnceAndLeavesNothingBehind) {
    const auto before = our_descriptors();
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([t] {
                for (int i = 0; i < 20; ++i) {
                    auto request = shell("cat; ls /proc/$$/fd; exit " + std::to_string(t));
                    request.input = std::string(static_cast<std::size_t>(1000 * i), static_cast<char>('a' + t));
                    const auto result = run(request);
                    EXPECT_EQ(result.output.text, request.input + "0\n1\n2\n");
                    EXPECT_EQ(result.exit_code, t);
                }
            });
        }
    }
    EXPECT_EQ(our_descriptors(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

// --- What it refuses
// ------------------------------------------------------------------------------------------------------

TEST(RunProcess, NamesTheProgramAndTheReasonWhenItCannotStart) {
    const TempFolder folder;
    std::ofstream(folder.file("text")) << "neither a program nor a script\n";
    EXPECT_EQ(refusal({.argv = {folder.file("none")}}),
              " cannot start " + folder.file("none") + ": No such file or directory");
    EXPECT_EQ(refusal({.argv = {folder.file("text")}}), " cannot start " + folder.file("text") + ": Permission denied");
    std::filesystem::permissions(folder.file("text"), std::filesystem::perms::owner_all);
    EXPECT_EQ(refusal({.argv = {folder.file("text")}}), " cannot start " + folder.file("text") + ": Exec format error");
    EXPECT_EQ(refusal({.argv = {"/bin/true"}, .working_directory = "/nowhere"}),
              " cannot start /bin/true: its folder /nowhere: No such file or directory");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // nor a zombie
}

TEST(RunProcess, RefusesWhatCannotBeMeant) {
    EXPECT_EQ(refusal({.argv = {}}), "/argv name the program to start");
    EXPECT_EQ(refusal({.argv = {"true"}}), "/argv/0 use the absolute path of the program, from /: true");
    EXPECT_EQ(refusal({.argv = {"/bin/true", std::string("a\0b", 3)}}),
              "/argv/1 an argument must not contain a zero byte");
    EXPECT_TRUE(refusal({.argv = {"/bin/true"}, .environment = {{"A=B", "c"}}}).starts_with("/environment/A=B "));
    EXPECT_TRUE(
        refusal({.argv = {"/bin/true"}, .environment = {{"A", std::string("\0", 1)}}}).starts_with("/environment/A "));
    EXPECT_EQ(refusal({.argv = {"/bin/true"}, .working_directory = ""}),
              "/working_directory name the folder to start in");
}

TEST(RunProcess, RefusesToStartWhereTheExitStatusWouldBeLost) {
    const auto usual = std::signal(SIGCHLD, SIG_IGN);
    const auto why = refusal({.argv = {"/bin/true"}});
    std::signal(SIGCHLD, usual);
    EXPECT_EQ(why, " cannot start /bin/true: SIGCHLD is ignored; start this program with its default action");
}

TEST(RunProcess, LooksInPathOnlyWhenAsked) {
    EXPECT_EQ(run({.argv = {"echo", "found"}, .look_in_path = true}).output.text, "found\n");
    EXPECT_EQ(refusal({.argv = {"no-such-program"}, .look_in_path = true}),
              "/argv/0 cannot start no-such-program: no folder in PATH has a program of that name");
    // With a slash it is where we are, wherever the child starts.
    const TempFolder folder;
    std::ofstream(folder.file("script")) << "#!/bin/sh\npwd\n";
    std::filesystem::permissions(folder.file("script"), std::filesystem::perms::owner_all);
    EXPECT_EQ(run({.argv = {std::filesystem::relative(folder.file("script"))}, .look_in_path = true}).output.text,
              "/\n");
}

}  // namespace
}  // namespace belfry
