#include "app/client/bulk.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <iostream>

#include "api/http/percent.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

const Flag kLabelFlag{"-l,--label", "KEY=VALUE", "Choose all with this label; several labels must all match",
                      Kind::list};
const Flag kYesFlag{"-y,--yes", "", "Do not ask before several are changed", Kind::yes};
const Flag kReasonFlag{"--reason", "TEXT", "Why; recorded in the history", Kind::text, "/reason"};

namespace {

Result<std::pair<std::string, std::string>> label_of(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return invalid("--label " + in_quotes(text) + ": use KEY=VALUE");
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<std::string>> with_labels(const Session& session) {
    std::vector<std::pair<std::string, std::string>> labels;
    for (const auto& text : session.values().all("--label")) {
        auto label = label_of(text);
        if (!label) return label.error();
        labels.push_back(std::move(*label));
    }
    // The server filters by one label; the others are checked here.
    const auto path = session.path("…/schedules?fields=name,labels&label=") +
                      api::percent_encode(labels.front().first + ":" + labels.front().second);
    const auto listed = read_list(session, path, 0);
    if (!listed) return listed.error();
    std::vector<std::string> names;
    for (const auto& item : listed->items) {
        const auto& has = member_at(item, "/labels");
        const bool all = std::ranges::all_of(labels, [&](const auto& label) {
            const auto* const found = has.is_object() ? has.get_object().if_contains(label.first) : nullptr;
            return found != nullptr && text_at(*found, "") == label.second;
        });
        if (all) names.push_back(text_at(item, "/name"));
    }
    if (names.empty()) return Error{ErrorCode::not_found, "no schedule has these labels"};
    return names;
}

// People see the names before they decide; a script must say --yes.
Result<void> confirm(const Session& session, const std::string& verb, const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 10;
    const auto what = verb + " " + std::to_string(names.size()) + " schedules";
    if (session.values().has("--yes") || names.size() < 2) return {};
    if (isatty(STDIN_FILENO) == 0) return invalid("this would " + what + ": add --yes");
    auto& err = session.console().err();
    for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) err << "  " << visible(names[i]) << '\n';
    if (names.size() > kShown) err << "  and " << names.size() - kShown << " more\n";
    err << "This will " << what << ". Continue? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    if (same_ignoring_case(answer, "y") || same_ignoring_case(answer, "yes")) return {};
    return invalid("nothing was changed");
}

}  // namespace

Result<std::vector<std::string>> chosen_schedules(const Session& session, const std::string& verb) {
    auto names = session.values().all("NAME");
    const bool by_label = session.values().has("--label");
    if (by_label && !names.empty()) return invalid("use names or --label, not both");
    if (!by_label && names.empty()) return invalid("name a schedule, or choose several with --label KEY=VALUE");
    if (!by_label) return names;
    auto found = with_labels(session);
    if (!found) return found.error();
    if (auto agreed = confirm(session, verb, *found); !agreed) return agreed.error();
    return found;
}

ExitCode change_each(const Session& session, const std::vector<std::string>& names, const Change& change,
                     const Tell& tell) {
    std::size_t failed = 0;
    ExitCode first = ExitCode::ok;
    for (const auto& name : names) {
        const auto changed = change(name);
        if (changed) {
            if (!print_for_programs(session, *changed)) tell(name, *changed);
            continue;
        }
        auto error = changed.error();
        if (names.size() > 1) error.message = name + ": " + error.message;
        if (names.size() > 1) error.more.clear();
        session.print_error(error);
        if (++failed == 1) first = exit_code_of(error);
        if (first == ExitCode::unreachable || first == ExitCode::not_allowed) return first;
    }
    if (failed == 0) return ExitCode::ok;
    if (names.size() > 1) session.console().err() << failed << " of " << names.size() << " failed\n";
    return failed == names.size() ? first : ExitCode::partly_failed;
}

}  // namespace belfry::app
