// Changes several resources with one command: by names, or by labels. Reports each failure and goes through all of
// them.
#pragma once

#include <functional>

#include "app/client/session.hpp"

namespace belfry::app {

// The schedules that the arguments NAME or the flag --label choose. Asks before it returns several that a label chose,
// unless --yes is given; `verb` is what happens to them: "pause".
[[nodiscard]] Result<std::vector<std::string>> chosen_schedules(const Session& session, const std::string& verb);

// Changes one resource and returns it.
using Change = std::function<Result<Json>(const std::string& name)>;
// Prints the changed one for people.
using Tell = std::function<void(const std::string& name, const Json& changed)>;

// Applies the change to each. The exit code is that of the only error, or `partly_failed` if some succeeded.
[[nodiscard]] ExitCode change_each(const Session& session, const std::vector<std::string>& names, const Change& change,
                                   const Tell& tell);

extern const Flag kLabelFlag;
extern const Flag kYesFlag;
extern const Flag kReasonFlag;

}  // namespace belfry::app
