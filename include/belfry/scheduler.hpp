// Belfry inside a program: the store, the engine and the workers, without a server. Thread-safe.
//
//   auto opened = belfry::embed::Scheduler::open({.store = "sqlite:jobs.db"});
//   if (!opened.scheduler) return report(opened.error);
//   auto& scheduler = *opened.scheduler;
//   scheduler.on_task("send-report", [](const belfry::embed::Task& task) { return belfry::embed::succeed(); });
//   scheduler.start();
//   scheduler.create_schedule(R"({"name": "nightly", "spec": {"cron": ["0 2 * * *"]},
//                                 "target": {"type": "task", "taskKind": "send-report"}})");
//
// Every call has the meaning, the checks and the errors of the HTTP API (docs/reference/http.md): the same code serves
// both. Several programs and servers may share one PostgreSQL. A SQLite file belongs to one program at a time.
// Tasks of the kinds `http` and `command`, and webhooks, need a server on the same store.
//
// This folder is the whole interface. It uses the standard library only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <belfry/task.hpp>

namespace belfry::embed {

struct SchedulerOptions {
    std::string store = "sqlite:belfry.db";  // or postgres://USER@HOST/DATABASE
    std::string tenant = "default";
    std::chrono::seconds min_interval{60};    // rejects schedules whose times are closer together
    std::string queue = "default";            // the queue whose tasks the functions do
    int concurrency = 4;                      // tasks at the same time, 1 to 256
    std::chrono::milliseconds lease{30'000};  // after a crash, other programs get the tasks after this time
};

// A response of the API: 2xx with the JSON that the operation describes, otherwise a problem with `status`, `code`,
// `detail` and, for each wrong field, an entry of `errors`.
struct Response {
    int status = 200;
    std::string body = {};
    [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

class Scheduler {
public:
    struct Opened {
        std::unique_ptr<Scheduler> scheduler;  // null: `error` says why
        std::string error = {};
    };
    // Opens the store, and creates its schema if it is empty. Fires nothing before start().
    [[nodiscard]] static Opened open(SchedulerOptions options);
    // Stops first.
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    // Does the tasks of this kind. A task of another kind on the same queue fails with `contract_violated`.
    // REQUIRES: called before start().
    void on_task(std::string kind, TaskFunction function);

    // Fires what is due and does tasks, on threads of its own, until stop(). Without a function, leaves the queue
    // alone.
    void start();
    // Requests a stop of running functions, waits for them, and stops firing. start() may follow.
    void stop();

    // Any operation of the API. The path begins below the tenant: `/schedules?limit=10`.
    [[nodiscard]] Response call(std::string_view method, std::string_view path, std::string_view body = {});

    // The usual operations by name. Definitions and requests are JSON objects as in the API.
    Response create_schedule(std::string_view definition) { return call("POST", "/schedules", definition); }
    [[nodiscard]] Response schedule(std::string_view name) { return call("GET", at(name)); }
    Response pause(std::string_view name, std::string_view request = "{}") {
        return call("POST", at(name, "/pause"), request);
    }
    Response resume(std::string_view name) { return call("POST", at(name, "/resume")); }
    Response trigger(std::string_view name, std::string_view request = "{}") {
        return call("POST", at(name, "/trigger"), request);
    }
    Response delete_schedule(std::string_view name) { return call("DELETE", at(name)); }
    [[nodiscard]] Response runs(std::string_view name) { return call("GET", at(name, "/runs")); }
    // One page of the audit stream, in order. `nextCursor` of the body, if it is not null, asks for the next page.
    [[nodiscard]] Response history(std::string_view name, std::optional<int> limit = {},
                                   std::optional<std::int64_t> after_sequence = {});

private:
    class Parts;
    explicit Scheduler(std::unique_ptr<Parts> parts);
    // The path of a schedule, with the name escaped.
    [[nodiscard]] static std::string at(std::string_view name, std::string_view part = {});

    std::unique_ptr<Parts> parts_;
};

}  // namespace belfry::embed
