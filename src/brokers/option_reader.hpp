// Reads a connection's options out of a JSON object: what is absent keeps its default, all mistakes are told together. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/json.hpp"

namespace belfry::brokers {

class OptionReader {
public:
    explicit OptionReader(const boost::json::object& options) : options_(options) {}

    // A text of 1 to 200 characters without control characters.
    void name(const char* member, std::string& into);
    // Letters, digits, `-`, `_` and what is in `also`.
    void word(const char* member, std::string& into, std::string_view also);
    void flag(const char* member, bool& into);
    // Whether there is one.
    bool integer(const char* member, std::int64_t& into, std::int64_t least);
    void duration(const char* member, std::chrono::milliseconds& into, std::chrono::milliseconds least, std::chrono::milliseconds most);

    // What was wrong, and every member that nobody asked for.
    [[nodiscard]] Result<void> finish();

private:
    [[nodiscard]] const Json* find(const char* member);
    void refuse(const char* member, std::string message);

    const boost::json::object& options_;
    std::vector<std::string> known_;
    Errors errors_;
};

}  // namespace belfry::brokers
