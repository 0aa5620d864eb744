// belfry schedule list, condition set and rotation set.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/http/percent.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

// The server's filter is KEY:VALUE.
Result<ExitCode> list_schedules(Session& session) {
    auto query = session.query();
    if (!query) return query.error();
    if (auto label = session.values().one("--label"); !label.empty()) {
        const auto equals = label.find('=');
        if (equals == std::string::npos) return invalid("--label " + in_quotes(label) + ": use KEY=VALUE");
        label[equals] = ':';
        *query += (query->empty() ? "?label=" : "&label=") + api::percent_encode(label);
    }
    return list(session, session.path(session.verb().path) + *query);
}

Result<ExitCode> set_condition(Session& session) {
    auto condition = read_value(session.values().one("CONDITION"));
    if (!condition) return condition.error();
    const auto changed = session.change("PUT", session.path("…/schedules/{NAME}/condition"),
                                        boost::json::object{{"condition", std::move(*condition)}});
    if (!changed) return changed.error();
    print_change(session, *changed);
    return ExitCode::ok;
}

Result<ExitCode> set_rotation(Session& session) {
    boost::json::array entries;
    for (const auto& text : session.values().all("INPUT")) {
        auto entry = read_value(text);
        if (!entry) return entry.error();
        entries.push_back(std::move(*entry));
    }
    const auto changed = session.change("PUT", session.path("…/schedules/{NAME}/rotation"),
                                        boost::json::object{{"entries", std::move(entries)}});
    if (!changed) return changed.error();
    print_change(session, *changed);
    return ExitCode::ok;
}

}  // namespace belfry::app
