// Other spellings of commands that people bring from other tools: `belfry get schedules`, `belfry ls`. Pure.
#pragma once

#include <string>
#include <vector>

namespace belfry::app {

// The words of the command in Belfry's order: `get schedules` becomes `schedule list`, `runs` becomes `run list`. Words
// that are no other spelling stay as they are. `words` starts with the program's name.
[[nodiscard]] std::vector<std::string> in_usual_form(std::vector<std::string> words);

}  // namespace belfry::app
