// belfry schedule load: a heatmap of the planned runs of the next 24 hours, a row for each date and a column for each
// hour.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <map>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/cli/moment_text.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

namespace chrono = std::chrono;

constexpr int kDays = 1;  // the server counts at most one day

using Heat = std::map<chrono::local_days, std::array<std::int64_t, 24>>;

Heat heat_of(const Json& load, const spec::Zone& zone) {
    Heat heat;
    for (const auto& bucket : list_at(load, "/buckets")) {
        const auto at = instant_at(bucket, "/at");
        if (!at) continue;
        const auto local = zone.to_local(*at);
        const auto day = chrono::floor<chrono::days>(local);
        const auto hour = static_cast<std::size_t>(chrono::floor<chrono::hours>(local - day).count());
        heat[day][hour] += number_at(bucket, "/fires");
    }
    return heat;
}

// Two columns per hour: rows of 58 columns fit every terminal.
std::string cell_of(std::int64_t fires, std::int64_t most) {
    constexpr std::array kShades{"░░", "▒▒", "▓▓", "██"};
    if (fires == 0) return " ·";
    return kShades[static_cast<std::size_t>(std::min<std::int64_t>(3, (fires * 4 - 1) / most))];
}

void print_heat(const Session& session, const Heat& heat, const spec::Zone& zone) {
    std::int64_t most = 1;
    for (const auto& [day, hours] : heat) most = std::max(most, *std::ranges::max_element(hours));
    auto& out = session.out();
    out << "          00    03    06    09    12    15    18    21\n";
    for (const auto& [day, hours] : heat) {
        const Instant noon{(LocalSeconds{day} + chrono::hours{12}).time_since_epoch()};
        auto label = local_text(noon, *spec::Zone::utc());
        label = label.substr(0, label.find(' ', label.find(' ', 4) + 1));
        label.resize(10, ' ');
        out << label;
        std::string row;
        for (const auto fires : hours) row += cell_of(fires, most);
        out << row << '\n';
    }
    out << "\n ·  none   ░░ ▒▒ ▓▓ ██  up to " << most << " runs an hour   (" << zone.name() << ")\n";
}

}  // namespace

Result<ExitCode> draw_load(Session& session) {
    const auto zone = session.zone_flag();
    if (!zone) return zone.error();
    const auto begin = chrono::floor<chrono::hours>(session.now());
    const auto path = session.path("…/load?bucket=PT1H&from=") + api::percent_encode(format_instant(begin)) +
                      "&to=" + api::percent_encode(format_instant(begin + chrono::hours{24 * kDays}));
    const auto load = session.get(path);
    if (!load) return load.error();
    if (print_for_programs(session, *load)) return ExitCode::ok;
    print_heat(session, heat_of(*load, **zone), **zone);
    session.out() << text_at(*load, "/fires") << " runs of " << text_at(*load, "/schedules")
                  << " schedules in the next 24 hours";
    if (const auto busiest = instant_at(*load, "/busiest/at")) {
        session.out() << "; the busiest hour is " << local_text(*busiest, **zone) << " with "
                      << text_at(*load, "/busiest/fires");
    }
    session.out() << ".\n";
    if (!is_true(*load, "/complete")) session.console().note("there are too many to count: the numbers are too low");
    return ExitCode::ok;
}

}  // namespace belfry::app
