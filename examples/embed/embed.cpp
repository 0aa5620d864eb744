// A program with its own scheduler: creates a schedule, runs its task in this process, and prints what happened.
//
//   embed [STORE]     STORE is sqlite:PATH (sqlite:jobs.db) or postgres://USER@HOST/DATABASE
#include <belfry/scheduler.hpp>

#include <future>
#include <iostream>

namespace embed = belfry::embed;

int main(int count, char** arguments) {
    auto opened = embed::Scheduler::open({.store = count > 1 ? arguments[1] : "sqlite:jobs.db"});
    if (!opened.scheduler) {
        std::cerr << opened.error << '\n';
        return 1;
    }
    auto& scheduler = *opened.scheduler;

    std::promise<std::string> greeted;
    scheduler.on_task("greet", [&greeted](const embed::Task& task) {
        greeted.set_value(task.input);
        return embed::succeed(R"({"said": "hello"})");
    });
    scheduler.start();

    const auto created = scheduler.create_schedule(R"({
        "name": "greeting", "spec": {"cron": ["0 9 * * 1-5"], "timezone": "Europe/Berlin"},
        "target": {"type": "task", "taskKind": "greet", "input": {"name": "world"}}})");
    if (!created.ok()) {
        std::cerr << created.body << '\n';
        return 1;
    }
    scheduler.trigger("greeting");  // now, beside its own times
    std::cout << "the task got " << greeted.get_future().get() << '\n';

    scheduler.stop();  // waits until the result is stored
    std::cout << scheduler.runs("greeting").body << '\n' << scheduler.history("greeting").body << '\n';
    return 0;
}
