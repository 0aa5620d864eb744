// Passwords in the arguments of the program, which every user of the machine can read in the process list.
#pragma once

#include <string_view>

namespace belfry::app {

inline constexpr const char* kPasswordInArguments =
    "a password on the command line can be read by other users of this machine until the program has hidden it, and "
    "stays in the shell's "
    "history: put the address into BELFRY_STORE or the configuration file, or the password into PGPASSFILE";

// Whether the argument contains a password: `postgres://user:secret@host/db`, `…?password=secret`.
[[nodiscard]] bool has_password(std::string_view argument);

// Overwrites the passwords of an argument in place: `postgres://user:***@host/db`, padded with blanks. Returns whether
// it found one.
bool hide_passwords(char* argument);

}  // namespace belfry::app
