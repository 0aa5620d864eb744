// belfry workflow and task: deploys definitions, and starts work at once.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <ostream>

#include "app/cli/text_file.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/client/run_watch.hpp"
#include "app/nouns/nouns.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

std::string node_names_cell(const Session&, const Json& workflow) {
    std::string text;
    for (const auto& node : list_at(workflow, "/nodes")) text += (text.empty() ? "" : ", ") + text_at(node, "/id");
    return text;
}

const Columns kWorkflowHeads{{"NAME", "/name"}, {"VERSION", "/version"}};
const Columns kOneWorkflow{
    {"NAME", "/name"},   {"VERSION", "/version"},  {"DESCRIPTION", "/description"}, {"NODES", "", node_names_cell},
    {"QUEUE", "/queue"}, {"CREATED", "", age_cell}};
const Columns kWorkflowVersions{
    {"VERSION", "/version"}, {"NODES", "/nodes"}, {"CREATED", "", age_cell}, {"BY", "/createdBy"}};

// The name is that of the argument, or of the file.
Result<ExitCode> apply_workflow(Session& session) {
    const auto file = session.values().one("--file");
    if (file.empty()) return invalid("add the definition: -f FILE");
    const auto document = read_document(file);
    if (!document) return document.error();
    auto name = session.values().one("NAME");
    if (name.empty()) name = text_at(*document, "/name");
    if (name.empty()) return invalid(file + " has no name: add one, or name the workflow in the command");
    const auto answer = session.change("PUT", session.path("…/workflows/{NAME}", name), *document);
    if (!answer) return answer.error();
    if (print_for_programs(session, *answer)) return ExitCode::ok;
    session.out() << visible(name) << " has version " << text_at(*answer, "/version") << " with "
                  << list_at(*answer, "/nodes").size() << " nodes.\n";
    for (const auto& schedule : list_at(*answer, "/schedules"))
        session.out() << "Schedule: " << visible(text_at(schedule, "")) << '\n';
    for (const auto& schedule : list_at(*answer, "/schedulesRemoved"))
        session.out() << "Removed schedule: " << visible(text_at(schedule, "")) << '\n';
    return ExitCode::ok;
}

Result<ExitCode> start_work(Session& session) {
    const auto body = session.body();
    if (!body) return body.error();
    const auto run = session.change("POST", session.path(session.verb().path), *body);
    if (!run) return run.error();
    if (should_follow(session)) return follow_run(session, *run);
    if (print_for_programs(session, *run)) return ExitCode::ok;
    session.out() << "Started run " << text_at(*run, "/id") << ".\n\nFollow it:\n  belfry run get "
                  << text_at(*run, "/id") << " --watch\n";
    return ExitCode::ok;
}

const Argument kWorkflowName{"NAME", "Name of the workflow"};

std::vector<Flag> start_flags() {
    return {{"--input", "JSON", "Input: JSON, YAML or @FILE", Kind::json, "/input"},
            {"--queue", "NAME", "Queue that workers claim from", Kind::text, "/queue"},
            {"--connection", "NAME", "Connection to deliver tasks to", Kind::text, "/connection"},
            {"--priority", "N", "Higher numbers are claimed first", Kind::number, "/priority"},
            {"--retries", "N", "Attempts after the first", Kind::number, "/retryPolicy/maxRetries"},
            {"-l,--label", "KEY=VALUE", "Label; may be repeated", Kind::pairs, "/labels"},
            {"--metadata", "KEY=VALUE", "Passed to the run; may be repeated", Kind::pairs, "/metadata"},
            kWaitFlag,
            kFollowFlag,
            kTimeoutFlag};
}

}  // namespace

const Noun& workflow_noun() {
    static const Noun kNoun = [] {
        auto flags = start_flags();
        flags.push_back({"--version", "N", "Version [newest]", Kind::number, "/version"});
        return Noun{"workflow",
                    "Deploy and start workflows",
                    "  belfry workflow apply report -f report.yaml\n  belfry workflow start report --watch",
                    {{.name = "apply",
                      .help = "Deploy a workflow; a changed definition becomes a new version",
                      .examples = "  belfry workflow apply report -f report.yaml",
                      .method = "",
                      .path = "",
                      .arguments = {{"NAME", "Name of the workflow; unless the file has it", Argument::optional}},
                      .flags = {{"-f,--file", "FILE", "Definition as YAML or JSON; - is the standard input"}},
                      .handler = apply_workflow,
                      .role = "operator"},
                     {.name = "list",
                      .help = "List workflows",
                      .examples = "  belfry workflow list",
                      .method = "LIST",
                      .path = "…/workflows",
                      .flags = {kLimitFlag, kAllFlag},
                      .columns = &kWorkflowHeads},
                     {.name = "get",
                      .help = "Show a workflow",
                      .examples = "  belfry workflow get report -o yaml",
                      .method = "GET",
                      .path = "…/workflows/{NAME}",
                      .arguments = {kWorkflowName},
                      .flags = {{"--version", "N", "Version [newest]", Kind::number, "?version"}},
                      .columns = &kOneWorkflow},
                     {.name = "versions",
                      .help = "List the versions of a workflow",
                      .examples = "  belfry workflow versions report",
                      .method = "LIST",
                      .path = "…/workflows/{NAME}/versions",
                      .arguments = {kWorkflowName},
                      .flags = {kLimitFlag, kAllFlag},
                      .columns = &kWorkflowVersions},
                     {.name = "start",
                      .help = "Start a workflow now",
                      .examples = "  belfry workflow start report --input '{\"audience\": \"all\"}' --watch",
                      .method = "",
                      .path = "…/workflow-executions",
                      .arguments = {{"NAME", "Name of the workflow", Argument::one, "/workflowKind"}},
                      .flags = flags,
                      .handler = start_work,
                      .role = "operator"},
                     {.name = "delete",
                      .help = "Delete a workflow that no schedule uses",
                      .examples = "  belfry workflow delete report",
                      .method = "DELETE",
                      .path = "…/workflows/{NAME}",
                      .arguments = {kWorkflowName},
                      .flags = {{"--force", "", "Even if schedules use it", Kind::yes, "?force"}},
                      .done = "Deleted {NAME}.",
                      .role = "operator"}}};
    }();
    return kNoun;
}

const Noun& task_noun() {
    static const Noun kNoun{"task",
                            "Start single tasks",
                            "  belfry task start mail --queue slow --input '{\"to\": \"a\"}'",
                            {{.name = "start",
                              .help = "Start a task now",
                              .examples = "  belfry task start mail --input '{\"to\": \"a\"}' --wait",
                              .method = "",
                              .path = "…/task-executions",
                              .arguments = {{"KIND", "Kind of the task", Argument::one, "/taskKind"}},
                              .flags = start_flags(),
                              .handler = start_work,
                              .role = "operator"}},
                            {},
                            "/id"};
    return kNoun;
}

}  // namespace belfry::app
