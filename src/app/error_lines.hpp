// What a command says on its standard error: passed on line by line, and its end kept. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace belfry::app {

class ErrorLines {
public:
    static constexpr std::size_t kKeptMax = 4'096;  // bytes of the end
    static constexpr std::size_t kLineMax = 3'072;  // with a prefix less than a pipe takes in one piece; a longer line is passed on in pieces

    explicit ErrorLines(std::function<void(std::string_view line)> tell) : tell_(std::move(tell)) {}

    void take(std::string_view piece);
    // The last line, if nothing ended it.
    void finish();
    // From the beginning of a line, when a line begins in it.
    [[nodiscard]] std::string_view end() const;

private:
    std::function<void(std::string_view line)> tell_;
    std::string line_;
    std::string kept_;
    bool lost_ = false;  // `kept_` is not all
};

}  // namespace belfry::app
