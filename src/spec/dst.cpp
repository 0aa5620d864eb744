#include "spec/dst.hpp"

#include <array>
#include <utility>

#include "base/ascii.hpp"

namespace belfry::spec {

namespace {

constexpr std::array kGapNames{std::pair{GapRule::shift, "shift"}, std::pair{GapRule::skip, "skip"}};
constexpr std::array kRepeatNames{std::pair{RepeatRule::automatic, "auto"}, std::pair{RepeatRule::first, "first"},
                                  std::pair{RepeatRule::last, "last"}, std::pair{RepeatRule::both, "both"}};

template <typename Names>
auto parse_name(const Names& names, std::string_view what, std::string_view text) -> Result<decltype(names.front().first)> {
    std::string choices;
    for (const auto& [rule, name] : names) {
        if (text == name) return rule;
        choices += (choices.empty() ? "" : ", ") + std::string(name);
    }
    return invalid(std::string(what) + " " + in_quotes(text) + ": use one of " + choices, {1, text.size()});
}

}  // namespace

std::string_view name_of(GapRule rule) { return kGapNames[static_cast<std::size_t>(rule)].second; }
std::string_view name_of(RepeatRule rule) { return kRepeatNames[static_cast<std::size_t>(rule)].second; }

Result<GapRule> parse_gap_rule(std::string_view text) { return parse_name(kGapNames, "dst gap", text); }
Result<RepeatRule> parse_repeat_rule(std::string_view text) { return parse_name(kRepeatNames, "dst repeat", text); }

}  // namespace belfry::spec
