// Options that several benchmarks share.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "app/cli/output.hpp"
#include "bench/commands.hpp"

namespace belfry::bench {

inline void add_bench_store_option(CLI::App& command, std::string& address) {
    command
        .add_option("--store", address, "Empty store: sqlite:PATH or postgres://…; default: a temporary SQLite file")
        ->type_name("STORE");
}

// How many engines a benchmark runs, and how.
struct EngineShape {
    int servers = 1;
    std::size_t lanes = 2;
};

inline void add_engine_options(CLI::App& command, EngineShape& shape) {
    command.add_option("--servers", shape.servers, "Number of engines that share the work [1]")
        ->check(CLI::Range(1, 16))
        ->type_name("N");
    command.add_option("--lanes", shape.lanes, "Number of parallel transactions of each engine [2]")
        ->check(CLI::Range(1, 16))
        ->type_name("N");
}

// Makes the command run `measure` with its options.
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

}  // namespace belfry::bench
