#include "simulation/sim_schedules.hpp"

#include "simulation/sim_broker.hpp"
#include "simulation/sim_workflows.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::sim {

namespace {

std::string seconds_text(Micros duration) {
    return "PT" + std::to_string(std::chrono::floor<Seconds>(duration).count()) + "S";
}

Instant whole_second(Instant at) { return std::chrono::floor<Seconds>(at); }

// About `times` occurrences in the life of the world, whatever its pace.
spec::IntervalText interval(SimRandom& random, const SimOptions& options) {
    const auto every = std::max(Micros{Seconds{1}}, options.duration() / random.number(4, 40));
    return {seconds_text(every), random.percent(30) ? seconds_text(every / 3) : ""};
}

std::string cron_text(SimRandom& random, const SimOptions& options) {
    if (options.pace < Seconds{10})
        return random.pick({"*/10 * * * * *", "5,25,40 * * * * *", "* * * * *", "30 * * * * *"});
    if (options.pace < Seconds{60})
        return random.pick({"* * * * *", "*/2 * * * *", "*/5 * * * *", "7-59/3 * * * *", "20 */4 * * * *"});
    if (options.pace < Seconds{300})
        return random.pick(
            {"*/5 * * * *", "*/10 * * * *", "0 * * * *", "30 1-3 * * *", "*/20 2 * * *", "15 */2 * * *"});
    return random.pick(
        {"0 * * * *", "30 * * * *", "30 2 * * *", "0 */3 * * *", "30 1 * * *", "0 9 * * 1-5", "*/30 * * * *"});
}

spec::SpecText draw_spec(SimRandom& random, const SimOptions& options, Instant now) {
    spec::SpecText spec;
    const auto inside = [&] { return whole_second(now + random.between(Micros{0}, options.duration())); };
    const int kind = random.number(0, 9);
    if (kind == 0) {
        for (int i = random.number(1, 4); i > 0; --i) spec.at.push_back(format_instant(inside()));
    } else if (kind <= 3) {
        spec.intervals = {interval(random, options)};
    } else {
        spec.cron = {cron_text(random, options)};
        if (random.percent(10)) spec.intervals = {interval(random, options)};
    }
    spec.timezone =
        random.pick({"UTC", "America/New_York", "Australia/Lord_Howe", "Europe/Berlin", "Africa/Casablanca"});
    if (random.percent(20))
        spec.dst.repeat = random.pick({spec::RepeatRule::first, spec::RepeatRule::last, spec::RepeatRule::both});
    if (random.percent(10)) spec.dst.gap = spec::GapRule::skip;
    if (random.percent(15)) spec.start_at = format_instant(inside());
    if (random.percent(20)) spec.end_at = format_instant(inside() + options.duration() / 4);
    if (random.percent(35)) {
        const auto jitter = options.pace * random.number(0, 3);
        spec.jitter = {seconds_text(random.percent(60) ? jitter : Micros{0}), seconds_text(jitter)};
    }
    return spec;
}

model::OverlapRules draw_overlap(SimRandom& random) {
    model::OverlapRules rules{static_cast<model::OverlapPolicy>(random.number(0, 5)), {}};
    if (random.percent(30)) rules.max_concurrency = random.number(1, 3);
    return rules;
}

model::MissedRules draw_missed(SimRandom& random, const SimOptions& options) {
    std::optional<Micros> grace = random.pick({options.pace, options.pace * 3, options.pace * 20});
    if (random.percent(20)) grace.reset();
    return {static_cast<model::MissedPolicy>(random.number(0, 3)), grace, random.number(1, 30), random.percent(20)};
}

// One of the workflows, or a single task; a few name a workflow that only their workers know.
model::Target draw_target(SimRandom& random, const SimOptions& options) {
    model::Target target;
    target.type = model::TargetType::task;
    target.kind = "work";
    if (options.workflows == 0 || !random.percent(75)) {
        if (random.percent(25)) target.connection = kFarConnection;
        return target;
    }
    target.type = model::TargetType::workflow;
    target.kind = random.percent(5) ? "unknown-workflow" : workflow_name(random.number(1, options.workflows));
    return target;
}

// The world is short: what nobody decides expires while it lasts, and before it must be settled.
model::ApprovalPolicy draw_approval(SimRandom& random, const SimOptions& options) {
    model::ApprovalPolicy policy;
    policy.requires_approval = random.percent(12);
    if (random.percent(15)) policy.mode = static_cast<model::ApprovalMode>(random.number(0, 2));
    if (random.percent(10)) policy.gates = {"launch"};
    if (policy != model::ApprovalPolicy{}) {
        policy.expires_after = std::chrono::floor<std::chrono::milliseconds>(options.pace * random.number(6, 20));
    }
    return policy;
}

model::FailurePolicy draw_failure(SimRandom& random) {
    const auto mode = static_cast<model::FailureMode>(random.number(0, 2));
    return {mode, mode == model::FailureMode::fallback ? std::optional<std::string>(kFallback) : std::nullopt};
}

}  // namespace

spec::CalendarText calendar() {
    spec::CalendarText text{kCalendar, spec::CalendarKind::skip_dates, "UTC", {}, false};
    for (std::chrono::sys_days day = std::chrono::year{2026} / 1 / 1; day < std::chrono::year{2027} / 3 / 1;
         day += std::chrono::days{1}) {
        const auto date = format_date(day);
        if (date.back() == '1') text.dates.push_back(date);
    }
    return text;
}

model::Schedule draw_schedule(SimRandom& random, const SimOptions& options, Instant now, const std::string& name) {
    model::Schedule schedule;
    schedule.tenant = "default";
    schedule.name = name;
    schedule.target = draw_target(random, options);
    schedule.spec = draw_spec(random, options, now);
    schedule.overlap = draw_overlap(random);
    schedule.missed = draw_missed(random, options);
    schedule.retry = draw_retry(random, options);
    schedule.failure = draw_failure(random);
    if (random.percent(25)) schedule.worker_lost = model::WorkerLostPolicy::fail;
    if (random.percent(30)) schedule.assignee = model::Assignee{"agent", kAgent};
    if (random.percent(20)) schedule.max_runs = random.number(1, 12);
    if (random.percent(20)) schedule.calendars = {kCalendar};
    if (random.percent(15)) schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
    if (random.percent(20)) schedule.breaker_failures = random.number(1, 3);
    if (random.percent(25)) schedule.inputs_rotation = {test::json("1"), test::json("2"), test::json("3")};
    schedule.approval = draw_approval(random, options);
    return schedule;
}

void redraw(SimRandom& random, const SimOptions& options, Instant now, model::Schedule& schedule) {
    const auto fresh = draw_schedule(random, options, now, schedule.name);
    if (random.percent(50)) schedule.spec = fresh.spec;
    if (random.percent(20)) schedule.spec.jitter = fresh.spec.jitter;
    if (random.percent(30)) schedule.overlap = fresh.overlap;
    if (random.percent(30)) schedule.missed = fresh.missed;
    if (random.percent(20)) schedule.max_runs = fresh.max_runs;
    if (random.percent(20)) schedule.inputs_rotation = fresh.inputs_rotation;
    if (random.percent(20)) schedule.breaker_failures = fresh.breaker_failures;
    if (random.percent(15)) schedule.target = fresh.target;
    if (random.percent(15)) schedule.approval = fresh.approval;
    if (random.percent(10)) schedule.target.priority = random.number(0, 9);
    if (random.percent(20)) schedule.description = "changed";
    if (random.percent(30)) schedule.retry = fresh.retry;
    if (random.percent(15)) schedule.failure = fresh.failure;
}

void nudge(model::Schedule& schedule) {
    schedule.spec.jitter.after = schedule.spec.jitter.after == "PT1S" ? "PT2S" : "PT1S";
}

}  // namespace belfry::sim
