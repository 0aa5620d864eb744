// The standard error of a command: forwards it line by line and keeps its end. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace belfry::app {

class ErrorLines {
public:
    static constexpr std::size_t kKeptMax = 4'096;  // bytes to keep of the end
    static constexpr std::size_t kLineMax = 3'072;  // with a prefix, fits one atomic pipe write; longer lines are split

    explicit ErrorLines(std::function<void(std::string_view line)> tell) : tell_(std::move(tell)) {}

    void take(std::string_view piece);
    // Forwards the last line if it has no line end.
    void finish();
    // The kept end. It starts at the beginning of a line if it contains one.
    [[nodiscard]] std::string_view end() const;

private:
    std::function<void(std::string_view line)> tell_;
    std::string line_;
    std::string kept_;
    bool lost_ = false;  // `kept_` is not the whole output
};

}  // namespace belfry::app
