#include "api/resources/tenants/usage_dto.hpp"

#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/resources/runs/run_shapes.hpp"

namespace belfry::api {

Json to_json(const std::optional<model::Usage>& usage) {
    if (!usage) return nullptr;
    return boost::json::object{{"credits", model::to_json(usage->credits)},
                               {"tokens", usage->tokens},
                               {"toolCalls", usage->tool_calls},
                               {"tools", array_of(std::vector<std::string>(usage->tools.begin(), usage->tools.end()))}};
}

ShapePtr usage_shape() {
    static const auto shape =
        answer_record("Usage", {{"credits", decimal(), "Credits, in the unit that the tenant chooses."},
                                {"tokens", integer(), "Number of model tokens."},
                                {"toolCalls", integer(), "Number of tool calls."},
                                {"tools", list_of(text()), "Names of the tools that were called, sorted."}});
    return shape;
}

Member usage_member() {
    static const auto shape =
        record("UsageReport", {{"credits", decimal(), "Credits used. Defaults to 0."},
                               {"tokens", integer(0, model::kUsageMax), "Model tokens used. Defaults to 0."},
                               {"toolCalls", integer(0, model::kUsageMax), "Number of tool calls. Defaults to 0."},
                               {"tools", list_of(name_text(), static_cast<std::int64_t>(model::kToolsMax)),
                                "Names of the tools that were called."}});
    return {"usage", shape,
            "Total usage of the attempt since it began. A report lower than an earlier one does not reduce the usage."};
}

std::optional<model::Credits> read_credits(const Values& values, std::string_view name) {
    if (!values.has(name)) return std::nullopt;
    const auto credits = model::credits_from_json(*values.any(name));
    assert(credits);
    return credits ? std::optional(*credits) : std::nullopt;
}

std::optional<model::Usage> read_usage(const Values& values) {
    if (!values.has("usage")) return std::nullopt;
    const Values report(*values.any("usage"));
    model::Usage usage;
    usage.credits = read_credits(report, "credits").value_or(model::Credits{});
    usage.tokens = report.integer("tokens").value_or(0);
    usage.tool_calls = report.integer("toolCalls").value_or(0);
    for (const auto& tool : report.array("tools")) usage.tools.emplace(std::string_view(tool.get_string()));
    return usage;
}

Json limit_of(const decide::AttemptPlan& outcome) {
    const auto* const plan = std::get_if<decide::Plan>(&outcome);
    if (plan == nullptr) return nullptr;
    for (const auto& note : plan->notes) {
        const auto* const payload = note.event.payload.if_object();
        const auto* const limit = payload != nullptr ? payload->if_contains("limit") : nullptr;
        if (limit != nullptr) return *limit;
    }
    return nullptr;
}

Member limit_member() {
    static const auto shape = or_null(
        answer_record("TrippedLimit",
                      {{"limit", text(), "Name of the policy member or setting."},
                       {"assignee", or_null(text()), "Assignee that the limit belongs to. Null if it is the server's."},
                       {"allowed", anything(), "Allowed amount, or allowed tools."},
                       {"used", anything(), "Amount that the whole run has used."},
                       {"tool", or_null(text()), "Tool that is not allowed."}}));
    return {"limit", shape, "Limit that the reported usage exceeds. The attempt has failed and is not retried."};
}

}  // namespace belfry::api
