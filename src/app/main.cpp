#include "app/nouns/nouns.hpp"
#include "app/program.hpp"

namespace {

using namespace belfry::app;

void add_commands(CLI::App& program, Chosen& chosen) {
    for (const auto* const noun :
         {&schedule_noun(), &run_noun(), &backfill_noun(), &calendar_noun(), &workflow_noun(), &task_noun(),
          &approval_noun(), &webhook_noun(), &assignee_noun(), &tenant_noun(), &event_noun(), &import_noun()})
        add_noun(program, chosen, *noun);
    add_verb(program, chosen, doctor_noun(), doctor_noun().verbs.front());
    add_context(program, chosen);
    add_completion(program, chosen);
    add_serve(program, chosen);
    add_tick(program, chosen);
    add_openapi(program, chosen);
    add_config(program, chosen);
    auto* const cron = program.add_subcommand("cron", "Work with cron expressions: next, explain, check");
    cron->footer(
        "  belfry cron next \"0 9 * * 1-5\" --tz Europe/Berlin\n  belfry cron explain \"0 18 LW * *\"\n  belfry cron "
        "check \"60 * * * *\"");
    cron->require_subcommand(1);
    add_cron_next(*cron, chosen);
    add_cron_explain(*cron, chosen);
    add_cron_check(*cron, chosen);
    auto* const tz = program.add_subcommand("tz", "Work with time zones: list, show");
    tz->footer("  belfry tz list berlin\n  belfry tz show America/New_York");
    tz->require_subcommand(1);
    add_tz_list(*tz, chosen);
    add_tz_show(*tz, chosen);
    add_migrate(program, chosen);
    add_token(program, chosen);
    auto* const audit = program.add_subcommand("audit", "Check the audit history: verify");
    audit->footer("  belfry audit verify\n  belfry audit verify --file archive/*.jsonl.gz");
    audit->require_subcommand(1);
    add_audit_verify(*audit, chosen);
    auto* const worker = program.add_subcommand("worker", "Run a worker: run");
    worker->footer("  belfry worker run --queue mail -- ./send-mail");
    worker->require_subcommand(1);
    add_worker_run(*worker, chosen);
    add_version(program, chosen);
}

}  // namespace

int main(int argc, char** argv) {
    return start(
        argc, argv,
        {.name = "belfry",
         .description = "Belfry is a durable scheduler: cron expressions, intervals and instants in any\ntime zone.",
         .examples = "  belfry serve\n"
                     "  belfry schedule create ping --every 5m --http https://example.com/health\n"
                     "  belfry schedule list\n"
                     "  belfry worker run --queue mail -- ./send-mail\n"
                     "  belfry cron next \"30 2 * * *\" --tz America/New_York\n"
                     "  belfry cron explain \"0 9 * * 1-5\"\n"
                     "  belfry tz show Europe/Istanbul",
         .add_commands = add_commands,
         .has_short_forms = true});
}
