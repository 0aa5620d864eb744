#include "app/cli/short_forms.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace belfry::app {

namespace {

struct Spelling {
    std::string_view other;
    std::string_view usual;
};

constexpr std::array<std::string_view, 12> kNouns{"schedule", "run",     "backfill", "calendar", "workflow", "task",
                                                  "approval", "webhook", "assignee", "tenant",   "event",    "context"};
constexpr std::array<Spelling, 7> kVerbs{{{"ls", "list"},
                                          {"rm", "delete"},
                                          {"remove", "delete"},
                                          {"inspect", "describe"},
                                          {"show", "get"},
                                          {"edit", "update"},
                                          {"run-now", "trigger"}}};
// Verbs that other tools put before the noun.
constexpr std::array<std::string_view, 15> kLeadingVerbs{"get",    "list",   "ls",    "describe", "delete",
                                                         "rm",     "create", "pause", "resume",   "trigger",
                                                         "update", "edit",   "show",  "inspect",  "remove"};

std::string usual_verb(const std::string& word) {
    const auto* const found = std::ranges::find(kVerbs, word, &Spelling::other);
    return found == kVerbs.end() ? word : std::string(found->usual);
}

struct FoundNoun {
    std::string name;
    bool plural;
};

std::optional<FoundNoun> noun_of(std::string_view word) {
    for (const auto noun : kNouns) {
        if (word == noun) return FoundNoun{std::string(noun), false};
        if (word == std::string(noun) + "s") return FoundNoun{std::string(noun), true};
    }
    return std::nullopt;
}

bool is_flag(const std::string& word) { return word.starts_with('-'); }

// `get schedules` lists, `get schedule NAME` shows one.
std::string verb_for(const std::string& verb, const std::vector<std::string>& rest) {
    const bool named = !rest.empty() && !is_flag(rest.front());
    const auto usual = usual_verb(verb);
    return usual == "get" && !named ? "list" : usual;
}

}  // namespace

std::vector<std::string> in_usual_form(std::vector<std::string> words) {
    if (words.size() < 2 || is_flag(words[1])) return words;
    const bool leads = std::ranges::find(kLeadingVerbs, words[1]) != kLeadingVerbs.end();
    const auto second = words.size() > 2 ? noun_of(words[2]) : std::nullopt;
    if (leads && second) {
        const std::vector<std::string> rest(words.begin() + 3, words.end());
        words[1].swap(words[2]);
        words[2] = verb_for(words[2], rest);
        words[1] = second->name;
        return words;
    }
    if (leads) {  // schedules are what people mean
        const std::vector<std::string> rest(words.begin() + 2, words.end());
        words[1] = verb_for(words[1], rest);
        words.insert(words.begin() + 1, "schedule");
        return words;
    }
    const auto noun = noun_of(words[1]);
    if (!noun) return words;
    words[1] = noun->name;
    const bool alone = words.size() == 2 || is_flag(words[2]);
    if (noun->plural && alone) words.insert(words.begin() + 2, "list");
    if (words.size() > 2) words[2] = usual_verb(words[2]);
    return words;
}

}  // namespace belfry::app
