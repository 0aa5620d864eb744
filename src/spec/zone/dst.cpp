#include "spec/zone/dst.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::spec {

namespace {

constexpr std::array kGapNames{EnumName{GapRule::shift, "shift"}, EnumName{GapRule::skip, "skip"}};
constexpr std::array kRepeatNames{EnumName{RepeatRule::automatic, "auto"}, EnumName{RepeatRule::first, "first"},
                                  EnumName{RepeatRule::last, "last"}, EnumName{RepeatRule::both, "both"}};

}  // namespace

std::string_view name_of(GapRule rule) { return canonical_name<GapRule>(kGapNames, rule); }
std::string_view name_of(RepeatRule rule) { return canonical_name<RepeatRule>(kRepeatNames, rule); }

Result<GapRule> parse_gap_rule(std::string_view text) { return parse_name<GapRule>(kGapNames, "dst gap", text); }
Result<RepeatRule> parse_repeat_rule(std::string_view text) {
    return parse_name<RepeatRule>(kRepeatNames, "dst repeat", text);
}

}  // namespace belfry::spec
