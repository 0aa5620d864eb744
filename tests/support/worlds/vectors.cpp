#include "support/worlds/vectors.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace belfry::test {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

std::vector<std::vector<std::string>> read_table(const std::string& name) {
    std::ifstream file(std::string(BELFRY_SOURCE_DIR) + "/tests/vectors/" + name);
    if (!file) throw std::runtime_error("cannot read tests/vectors/" + name);
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) rows.push_back(split(line, '\t'));
    return rows;
}

}  // namespace belfry::test
