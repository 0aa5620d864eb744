#include "app/cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ostream>

#include "app/cli/text_width.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::size_t terminal_columns() {
    std::size_t columns = 0;
    if (const auto text = environment("COLUMNS");
        std::from_chars(text.data(), text.data() + text.size(), columns).ec == std::errc{})
        return columns;
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Screen standard_screen() {
    if (isatty(STDOUT_FILENO) == 0) return {};
    return {terminal_columns(), environment("NO_COLOR").empty() && environment("TERM") != "dumb"};
}

ExitCode Console::fail(const Error& error, std::string_view text) const {
    err_ << "error: " << visible(error.message) << '\n';
    constexpr std::size_t kShownMax = 160;  // longer texts would hide the message
    if (!text.empty() && text.size() <= kShownMax && error.place.column > 0 && error.place.column <= text.size() + 1) {
        const auto before = visible(text.substr(0, error.place.column - 1));
        const auto fault = visible(text.substr(error.place.column - 1, error.place.length));
        err_ << "  " << visible(text) << "\n  " << std::string(text_width(before), ' ')
             << std::string(std::max<std::size_t>(1, text_width(fault)), '^') << '\n';
    }
    return error.code == ErrorCode::invalid_argument ? ExitCode::invalid : ExitCode::failed;
}

void Console::note(std::string_view message) const { err_ << "note: " << visible(message) << '\n'; }

}  // namespace belfry::app
