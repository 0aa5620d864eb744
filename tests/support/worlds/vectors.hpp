// Reads the tables of expected answers in tests/vectors.
#pragma once

#include <string>
#include <vector>

namespace belfry::test {

// The rows of a tab-separated file without its heading, each as its columns.
[[nodiscard]] std::vector<std::vector<std::string>> read_table(const std::string& name);

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);

}  // namespace belfry::test
