// The guards of one occurrence with what each of them said. Pure.
//
// Nothing is stored for it: the order of the guards is fixed and the first refusal decides, so the reason in the
// ledger says which guards passed, which one refused, and which were not reached.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decide/schedule/guards.hpp"

namespace belfry::decide {

enum class GuardOutcome : std::uint8_t { passed, refused, not_reached };
[[nodiscard]] std::string_view name_of(GuardOutcome outcome);
[[nodiscard]] std::vector<std::string> guard_outcome_names();

struct GuardStep {
    std::string_view guard;  // from guard_names()
    GuardOutcome outcome = GuardOutcome::passed;
    std::string text = {};  // what the guard requires; for a refusal, the reason in words
    friend bool operator==(const GuardStep&, const GuardStep&) = default;
};
using GuardChain = std::vector<GuardStep>;

// The guards, and `buffer` at the end, which only a full buffer adds: it refuses after every guard has passed.
[[nodiscard]] std::vector<std::string> guard_names();

// The chain of a run that was started or buffered, or refused for that reason. Guards that do not apply to the cause
// are left out.
[[nodiscard]] GuardChain guard_chain(model::RunCause cause, const std::optional<Refusal>& refusal);

// The chain of an occurrence that is due and not decided yet.
[[nodiscard]] GuardChain undecided_guard_chain(model::RunCause cause);

}  // namespace belfry::decide
