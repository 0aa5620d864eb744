// Structured log lines on standard error, for people (text) or programs (json). Code that logs gets a Log by reference;
// there is no global one. Thread-safe: lines never mix.
//
//   2026-11-15T09:00:00.123Z info  message key=value other="two words"
//   {"time":"2026-11-15T09:00:00.123Z","level":"info","message":"message","key":"value","other":"two words"}
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"

namespace belfry {

enum class LogLevel : std::uint8_t { debug, info, warn, error };
enum class LogFormat : std::uint8_t { text, json };

[[nodiscard]] std::string_view name_of(LogLevel level);
[[nodiscard]] std::string_view name_of(LogFormat format);
[[nodiscard]] Result<LogLevel> parse_log_level(std::string_view text);
[[nodiscard]] Result<LogFormat> parse_log_format(std::string_view text);

// The value of a field. It refers to the caller's text, so it is valid only within the call.
class LogValue {
public:
    using Value = std::variant<std::string_view, std::int64_t, double, bool>;
    template <typename Text>
    requires std::convertible_to<const Text&, std::string_view> LogValue(const Text& text)
        : value_(std::string_view(text)) {}  // NOLINT(google-explicit-constructor): fields are written as lists
    template <std::integral Number>
    LogValue(Number number) : value_(static_cast<std::int64_t>(number)) {}  // NOLINT(google-explicit-constructor)
    LogValue(bool flag) : value_(flag) {}                                   // NOLINT(google-explicit-constructor)
    LogValue(double number) : value_(number) {}                             // NOLINT(google-explicit-constructor)
    [[nodiscard]] const Value& value() const { return value_; }

private:
    Value value_;
};

struct LogField {
    std::string_view name;
    LogValue value;  // a field with an empty text is omitted
};

class Log {
public:
    using Fields = std::initializer_list<LogField>;

    // Logs to standard error.
    Log(LogLevel level, LogFormat format);
    // Logs to a stream, for tests. REQUIRES: the stream outlives it.
    Log(std::ostream& stream, LogLevel level, LogFormat format);
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    // Check this first if the fields are expensive to compute.
    [[nodiscard]] bool writes(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }

    void write(LogLevel level, std::string_view message, Fields fields = {}) const;
    void debug(std::string_view message, Fields fields = {}) const { write(LogLevel::debug, message, fields); }
    void info(std::string_view message, Fields fields = {}) const { write(LogLevel::info, message, fields); }
    void warn(std::string_view message, Fields fields = {}) const { write(LogLevel::warn, message, fields); }
    void error(std::string_view message, Fields fields = {}) const { write(LogLevel::error, message, fields); }

    // Safe while other threads log.
    void set(LogLevel level) { level_ = level; }
    void set(LogFormat format) { format_ = format; }

private:
    struct Outputs;
    std::atomic<LogLevel> level_;
    std::atomic<LogFormat> format_;
    std::unique_ptr<Outputs> outputs_;
};

}  // namespace belfry
