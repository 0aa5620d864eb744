// One job of another scheduler on its way to a schedule, and the crontab's jobs.
#pragma once

#include <optional>
#include <vector>

#include "app/moving/crontab.hpp"
#include "base/text/json.hpp"
#include "base/time/instant.hpp"
#include "spec/zone/zone_database.hpp"

namespace belfry::app {

struct MovedJob {
    std::string place;  // `line 3`
    std::string text;   // as the other scheduler has it
    std::string name = {};
    Json definition = nullptr;            // the body that creates the schedule
    std::vector<std::string> notes = {};  // what differs from before
    std::string problem = {};             // why it is not imported; empty: it can be
    std::optional<Instant> next = {};
};

// The names may repeat; see name_jobs. `queue` is that of the user form. In the system form each user has a queue,
// QUEUE-USER, because a worker runs commands as its own user.
[[nodiscard]] std::vector<MovedJob> jobs_of_crontab(const Crontab& crontab, const std::string& timezone,
                                                    const std::string& queue);

// Computes the next time. A job whose times are invalid gets a problem.
void check_times(MovedJob& job, const spec::ZoneDatabase& zones, Instant now);

// Makes the names unique: backup, backup-2. A job with a problem uses up no name, so its correction can have it later.
void name_jobs(std::vector<MovedJob>& jobs);

// The zone of this machine, as cron uses it: TZ, /etc/timezone or /etc/localtime; else UTC.
[[nodiscard]] std::string machine_timezone(const spec::ZoneDatabase& zones);

}  // namespace belfry::app
