// belfry approval, webhook, assignee and tenant: nouns whose verbs are single requests.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/nouns.hpp"

namespace belfry::app {

namespace {

std::string waits_cell(const Session& session, const Json& approval) {
    return when_text(session, approval, "/requestedAt", "UTC");
}
std::string expires_cell(const Session& session, const Json& approval) {
    return when_text(session, approval, "/expiresAt", "UTC");
}
const Columns kApprovals{{"RUN", "/runId"},
                         {"SCHEDULE", "/scheduleName"},
                         {"NODE", "/node"},
                         {"STATUS", "/status"},
                         {"REQUESTED", "", waits_cell},
                         {"WHY", "/why", nullptr, true},
                         {"EXPIRES", "", expires_cell, true},
                         {"BY", "/decidedBy", nullptr, true},
                         {"COMMENT", "/comment", nullptr, true}};

std::string types_cell(const Session&, const Json& webhook) {
    const auto types = joined_at(webhook, "/events");
    return types.empty() ? "all" : types;
}
const Columns kWebhooks{{"ID", "/id"},
                        {"URL", "/url"},
                        {"EVENTS", "", types_cell},
                        {"ENABLED", "/enabled"},
                        {"CREATED", "", age_cell, true}};
std::string happened_cell(const Session& session, const Json& delivery) {
    return when_text(session, delivery, "/happenedAt", "UTC");
}
const Columns kDeliveries{{"POSITION", "/position"},
                          {"TYPE", "/type"},
                          {"STATUS", "/status"},
                          {"ATTEMPTS", "/attempts"},
                          {"RESPONSE", "/lastHttpStatus"},
                          {"HAPPENED", "", happened_cell},
                          {"ERROR", "/lastError", nullptr, true}};
const Columns kAssignees{{"ID", "/id"}, {"TYPE", "/type"}, {"NAME", "/displayName"}, {"CREATED", "", age_cell, true}};
const Columns kTenants{{"NAME", "/name"},
                       {"DISPATCH", "/dispatchEnabled"},
                       {"DESCRIPTION", "/description"},
                       {"SCHEDULES", "/usage/schedules"},
                       {"RUNS TODAY", "/usage/runsToday"},
                       {"CREATED", "", age_cell, true}};

const Argument kApprovalRun{"RUN", "Id of the run"};
const Argument kWebhookId{"ID", "Id of the webhook"};
const std::vector<Flag> kDecisionFlags{
    {"--comment", "TEXT", "Comment; stored with the approval", Kind::text, "/comment"},
    {"--node", "NODE", "Node that waits [the run as a whole]", Kind::text, "/node"}};

Verb decision(const char* name, const char* help, const char* examples, const char* path, const char* done) {
    return {.name = name,
            .help = help,
            .examples = examples,
            .method = "POST",
            .path = path,
            .arguments = {kApprovalRun},
            .flags = kDecisionFlags,
            .done = done,
            .role = "approver"};
}

}  // namespace

const Noun& approval_noun() {
    static const Noun kNoun{
        "approval",
        "List and decide what waits for approval",
        "  belfry approval list\n  belfry approval approve RUN --comment \"checked\"",
        {{.name = "list",
          .help = "List approvals",
          .examples = "  belfry approval list --status pending --watch",
          .method = "LIST",
          .path = "…/approvals",
          .flags = {{"--status", "STATUS", "pending, approved, rejected, expired or void", Kind::text, "?status"},
                    kLimitFlag,
                    kAllFlag,
                    kWatchFlag},
          .columns = &kApprovals},
         decision("approve", "Approve a run or a node", "  belfry approval approve RUN --comment \"checked\"",
                  "…/runs/{RUN}/approve", "Approved. The run is {/status}."),
         decision("reject", "Reject a run or a node", "  belfry approval reject RUN --comment \"not today\"",
                  "…/runs/{RUN}/reject", "Rejected. The run is {/status}.")},
        {},
        "/runId"};
    return kNoun;
}

const Noun& webhook_noun() {
    static const Noun kNoun{
        "webhook",
        "Send events to other systems",
        "  belfry webhook create https://example.com/hook --event run.failed\n  belfry webhook test ID",
        {{.name = "create",
          .help = "Create a webhook; the secret is shown once, with -o json or yaml",
          .examples = "  belfry webhook create https://example.com/hook --event run.failed -o yaml",
          .method = "POST",
          .path = "…/webhooks",
          .arguments = {{"URL", "URL that receives the events", Argument::one, "/url"}},
          .flags = {{"--event", "TYPE", "Event type, such as run.failed or run.*; may be repeated [all]", Kind::list,
                     "/events"},
                    {"--description", "TEXT", "Description", Kind::text, "/description"}},
          .done = "Created {/id}. Its secret: belfry webhook rotate-secret",
          .role = "operator"},
         {.name = "list",
          .help = "List webhooks",
          .examples = "  belfry webhook list",
          .method = "LIST",
          .path = "…/webhooks",
          .flags = {kLimitFlag, kAllFlag},
          .columns = &kWebhooks},
         {.name = "get",
          .help = "Show a webhook",
          .examples = "  belfry webhook get ID",
          .method = "GET",
          .path = "…/webhooks/{ID}",
          .arguments = {kWebhookId},
          .columns = &kWebhooks},
         {.name = "delete",
          .help = "Delete a webhook",
          .examples = "  belfry webhook delete ID",
          .method = "DELETE",
          .path = "…/webhooks/{ID}",
          .arguments = {kWebhookId},
          .done = "Deleted {ID}.",
          .role = "operator"},
         {.name = "test",
          .help = "Send a test event now",
          .examples = "  belfry webhook test ID",
          .method = "POST",
          .path = "…/webhooks/{ID}/test",
          .arguments = {kWebhookId},
          .done = "The receiver responded: {/succeeded}",
          .role = "operator"},
         {.name = "deliveries",
          .help = "List what was sent",
          .examples = "  belfry webhook deliveries ID -o wide",
          .method = "LIST",
          .path = "…/webhooks/{ID}/deliveries",
          .arguments = {kWebhookId},
          .flags = {kLimitFlag, kAllFlag},
          .columns = &kDeliveries},
         {.name = "redeliver",
          .help = "Send an event again",
          .examples = "  belfry webhook redeliver ID 17",
          .method = "POST",
          .path = "…/webhooks/{ID}/deliveries/{POSITION}/redeliver",
          .arguments = {kWebhookId, {"POSITION", "Position of the event"}},
          .done = "The delivery is {/status}.",
          .role = "operator"},
         {.name = "rotate-secret",
          .help = "Make a new secret; the old one signs for another day",
          .examples = "  belfry webhook rotate-secret ID",
          .method = "POST",
          .path = "…/webhooks/{ID}/rotate-secret",
          .arguments = {kWebhookId},
          .done = "{/secret}",
          .role = "operator"}},
        {},
        "/id"};
    return kNoun;
}

const Noun& assignee_noun() {
    static const Noun kNoun{
        "assignee",
        "Register agents and teams, and their budgets",
        "  belfry assignee set writer --type agent --display-name Writer\n  belfry assignee list",
        {{.name = "set",
          .help = "Register or replace an assignee",
          .examples = "  belfry assignee set writer --type agent --policies '{\"maxConcurrency\": 2}'",
          .method = "PUT",
          .path = "…/assignees/{ID}",
          .arguments = {{"ID", "Id of the assignee"}},
          .flags = {{"--type", "TYPE", "agent or team", Kind::text, "/type"},
                    {"--display-name", "TEXT", "Name for people", Kind::text, "/displayName"},
                    {"--policies", "JSON", "Limits and budgets: JSON, YAML or @FILE", Kind::json, "/policies"}},
          .done = "Saved {ID}.",
          .role = "operator"},
         {.name = "list",
          .help = "List assignees",
          .examples = "  belfry assignee list",
          .method = "LIST",
          .path = "…/assignees",
          .flags = {kLimitFlag, kAllFlag},
          .columns = &kAssignees},
         {.name = "get",
          .help = "Show an assignee, and its budget of today with -o yaml",
          .examples = "  belfry assignee get writer -o yaml",
          .method = "GET",
          .path = "…/assignees/{ID}",
          .arguments = {{"ID", "Id of the assignee"}},
          .columns = &kAssignees},
         {.name = "delete",
          .help = "Delete an assignee",
          .examples = "  belfry assignee delete writer",
          .method = "DELETE",
          .path = "…/assignees/{ID}",
          .arguments = {{"ID", "Id of the assignee"}},
          .done = "Deleted {ID}.",
          .role = "operator"}},
        {},
        "/id"};
    return kNoun;
}

const Noun& tenant_noun() {
    static const Noun kNoun{
        "tenant",
        "Create and list tenants",
        "  belfry tenant create billing\n  belfry tenant list",
        {{.name = "create",
          .help = "Create a tenant",
          .examples = "  belfry tenant create billing --description \"Invoices\" --runs-per-day 10000",
          .method = "POST",
          .path = "/api/tenants",
          .arguments = {{"NAME", "Name: a-z, 0-9, -, _ and .", Argument::one, "/name"}},
          .flags = {{"--description", "TEXT", "Description", Kind::text, "/description"},
                    {"--schedules-max", "N", "Maximum number of schedules", Kind::number, "/schedulesMax"},
                    {"--runs-per-day", "N", "Maximum number of runs per UTC day", Kind::number, "/runsPerDay"},
                    {"--stored-bytes-max", "N", "Maximum number of stored bytes", Kind::number, "/storedBytesMax"}},
          .done = "Created {NAME}.",
          .role = "admin"},
         {.name = "list",
          .help = "List tenants",
          .examples = "  belfry tenant list",
          .method = "LIST",
          .path = "/api/tenants",
          .flags = {kLimitFlag, kAllFlag},
          .columns = &kTenants},
         {.name = "get",
          .help = "Show a tenant, its limits and its usage",
          .examples = "  belfry tenant get billing\n  belfry tenant get billing -o yaml",
          .method = "GET",
          .path = "/api/tenants/{NAME}",
          .arguments = {{"NAME", "Name of the tenant"}},
          .columns = &kTenants}}};
    return kNoun;
}

}  // namespace belfry::app
