// Everything that a command may use: the two output streams, the clock and the zones. Data goes to `out`, messages to
// `err`.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/time/clock.hpp"
#include "spec/zone/zone_database.hpp"

namespace belfry::app {

// The abilities of a terminal; a pipe gets plain text of any width.
struct Screen {
    std::size_t columns = 0;  // 0: no limit
    bool colours = false;
};

// Derives them from the standard output, COLUMNS, NO_COLOR and TERM.
[[nodiscard]] Screen standard_screen();

enum class ExitCode : int {
    ok = 0,
    failed = 1,
    invalid = 2,      // wrong usage or rejected input
    differs = 3,      // what was examined is not as it should be
    not_allowed = 4,  // no token, an invalid one, or one without the permission
    not_found = 5,
    conflict = 6,
    timed_out = 7,      // what the command waited for did not happen in time
    run_failed = 8,     // the run that the command waited for did not succeed
    partly_failed = 9,  // some of several resources could not be changed
    unreachable = 10,   // the server does not respond
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

    // The same with other streams, for a command inside a command.
    [[nodiscard]] Console with_streams(std::ostream& out, std::ostream& err) const {
        return {out, err, {}, clock_, zones_};
    }

    // Prints the error, with a caret under its position if that lies inside `text`.
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
