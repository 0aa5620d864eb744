// The commands of belfry-bench, one file each. Each function adds its command to the program.
#pragma once

#include "app/cli/commands.hpp"

namespace belfry::bench {

using namespace app;  // the console, its tables and the options are those of belfry

void add_bench_store(CLI::App& program, Chosen& chosen);
void add_bench_fire(CLI::App& program, Chosen& chosen);
void add_bench_herd(CLI::App& program, Chosen& chosen);
void add_bench_api(CLI::App& program, Chosen& chosen);
void add_bench_tasks(CLI::App& program, Chosen& chosen);
void add_bench_handover(CLI::App& program, Chosen& chosen);
void add_bench_deliveries(CLI::App& program, Chosen& chosen);

}  // namespace belfry::bench
