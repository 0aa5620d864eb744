// Reads a connection's options from a JSON object. Absent members keep their defaults. Validation reports every error
// at once. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/text/json.hpp"

namespace belfry::brokers {

class OptionReader {
public:
    explicit OptionReader(const boost::json::object& options) : options_(options) {}

    // A string of 1 to 200 characters without control characters.
    void name(const char* member, std::string& into);
    // Letters, digits, `-`, `_` and the characters in `also`.
    void word(const char* member, std::string& into, std::string_view also);
    void flag(const char* member, bool& into);
    // Returns whether the member is present.
    bool integer(const char* member, std::int64_t& into, std::int64_t least);
    void duration(const char* member, std::chrono::milliseconds& into, std::chrono::milliseconds least,
                  std::chrono::milliseconds most);

    // Returns all errors, including one for every unknown member.
    [[nodiscard]] Result<void> finish();

private:
    [[nodiscard]] const Json* find(const char* member);
    void refuse(const char* member, std::string message);

    const boost::json::object& options_;
    std::vector<std::string> known_;
    Errors errors_;
};

}  // namespace belfry::brokers
