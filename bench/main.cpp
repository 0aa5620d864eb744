// belfry-bench: measures Belfry on this machine, next to bare loops that do the same work without it.
#include "app/program.hpp"
#include "bench/commands.hpp"

namespace {

void add_commands(CLI::App& program, belfry::app::Chosen& chosen) {
    using namespace belfry::bench;
    add_bench_store(program, chosen);
    add_bench_fire(program, chosen);
    add_bench_herd(program, chosen);
    add_bench_api(program, chosen);
    add_bench_tasks(program, chosen);
    add_bench_handover(program, chosen);
    add_bench_deliveries(program, chosen);
}

}  // namespace

int main(int argc, char** argv) {
    return belfry::app::start(
        argc, argv,
        {.name = "belfry-bench",
         .description = "Benchmark Belfry on this machine.",
         .examples = "  belfry-bench store\n  belfry-bench fire\n  belfry-bench herd\n  belfry-bench api",
         .add_commands = add_commands});
}
