// The options that measurements share.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "app/commands.hpp"
#include "app/output.hpp"

namespace belfry::app {

inline void add_bench_store_option(CLI::App& command, std::string& address) {
    command.add_option("--store", address, "An empty store: sqlite:PATH or postgres://…; by default a temporary SQLite file")->type_name("STORE");
}

// How the engines of a measurement are made up.
struct EngineShape {
    int servers = 1;
    std::size_t lanes = 2;
};

inline void add_engine_options(CLI::App& command, EngineShape& shape) {
    command.add_option("--servers", shape.servers, "Engines that share the work [1]")->check(CLI::Range(1, 16))->type_name("N");
    command.add_option("--lanes", shape.lanes, "Transactions that each has open side by side [2]")->check(CLI::Range(1, 16))->type_name("N");
}

// What the command does when it is chosen: measures with the options that it was given.
template <typename Options>
void measure_when_chosen(CLI::App& command, Chosen& chosen, const std::shared_ptr<Options>& options,
                         Result<void> (*measure)(const Options&, const Console&)) {
    command.callback([options, measure, &chosen] {
        chosen.action = [options, measure](const Console& console) {
            const auto done = measure(*options, console);
            return done ? ExitCode::ok : console.fail(done.error());
        };
    });
}

}  // namespace belfry::app
