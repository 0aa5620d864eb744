// Child processes for tests, and what can be seen of them from outside.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "base/process/process.hpp"

namespace belfry::test {

inline ProcessRequest shell(const std::string& script) {
    return {.argv = {"/bin/sh", "-c", script},
            .environment = {{"PATH", "/usr/bin:/bin"}},
            .timeout = std::chrono::seconds{60}};
}

inline ProcessResult run(const ProcessRequest& request) {
    auto result = run_process(request);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : ProcessResult{};
}

// Whether it runs; a zombie does not.
inline bool is_alive(pid_t id) {
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return false;
    const auto state = line.substr(line.rfind(')') + 2, 1);
    return state != "Z" && state != "X";
}

inline std::set<std::string> our_descriptors() {
    std::set<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) names.insert(each.path().filename());
    return names;
}

// The value of a line "name: value" as /proc writes it.
inline std::string line_of(const std::string& text, const std::string& name) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(name)) return line.substr(line.find_first_not_of(" \t", name.size()));
    }
    return "no " + name;
}

// Why it does not start, behind the field that is to blame; nothing of it may stay.
inline std::string refusal(const ProcessRequest& request) {
    const auto before = our_descriptors();
    const auto result = run_process(request);
    EXPECT_EQ(our_descriptors(), before);
    return result ? "none" : result.error().field + " " + result.error().message;
}

}  // namespace belfry::test
