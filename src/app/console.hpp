// What a command may touch: the two output streams, the clock and the zones. Data goes to `out`, all else to `err`.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "spec/zone_database.hpp"

namespace belfry::app {

// What a terminal can show; a pipe shows plain text of any width.
struct Screen {
    std::size_t columns = 0;  // 0: no limit
    bool colours = false;
};

// Looks at the standard output, COLUMNS, NO_COLOR and TERM.
[[nodiscard]] Screen standard_screen();

enum class ExitCode : int {
    ok = 0,
    failed = 1,
    invalid = 2,      // wrong usage or refused input
    not_allowed = 4,  // no token, a wrong one, or one without the permission
    not_found = 5,
    conflict = 6,
    unreachable = 10,  // the server
};

class Console {
public:
    Console(std::ostream& out, std::ostream& err, Screen screen, const Clock& clock, const spec::ZoneDatabase& zones)
        : out_(out), err_(err), screen_(screen), clock_(clock), zones_(zones) {}

    [[nodiscard]] std::ostream& out() const { return out_; }
    [[nodiscard]] std::ostream& err() const { return err_; }
    [[nodiscard]] const Screen& screen() const { return screen_; }
    [[nodiscard]] Instant now() const { return clock_.now(); }
    [[nodiscard]] const spec::ZoneDatabase& zones() const { return zones_; }

    // Reports the error, with a caret under the fault when it lies inside `text`.
    [[nodiscard]] ExitCode fail(const Error& error, std::string_view text = {}) const;
    void note(std::string_view message) const;

private:
    std::ostream& out_;
    std::ostream& err_;
    Screen screen_;
    const Clock& clock_;
    const spec::ZoneDatabase& zones_;
};

}  // namespace belfry::app
