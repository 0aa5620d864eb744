#include "api/usage_dto.hpp"

#include <boost/json/object.hpp>

#include "api/json_values.hpp"
#include "api/run_shapes.hpp"

namespace belfry::api {

Json to_json(const std::optional<model::Usage>& usage) {
    if (!usage) return nullptr;
    return boost::json::object{{"credits", model::to_json(usage->credits)},
                               {"tokens", usage->tokens},
                               {"toolCalls", usage->tool_calls},
                               {"tools", array_of(std::vector<std::string>(usage->tools.begin(), usage->tools.end()))}};
}

ShapePtr usage_shape() {
    static const auto shape = answer_record("Usage", {{"credits", decimal(), "Whatever credits are to their owner."},
                                                      {"tokens", integer(), "Of models."},
                                                      {"toolCalls", integer(), "How many."},
                                                      {"tools", list_of(text()), "The names of those that were called, sorted."}});
    return shape;
}

Member usage_member() {
    static const auto shape =
        record("UsageReport", {{"credits", decimal(), "0 when absent."},
                               {"tokens", integer(0, model::kUsageMax), "0 when absent."},
                               {"toolCalls", integer(0, model::kUsageMax), "0 when absent."},
                               {"tools", list_of(name_text(), static_cast<std::int64_t>(model::kToolsMax)), "The names of those that were called."}});
    return {"usage", shape, "What the attempt has used since it began; a report that says less than an earlier one takes nothing back."};
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
    static const auto shape = or_null(answer_record("TrippedLimit", {{"limit", text(), "By the name of the policy or the setting."},
                                                                     {"assignee", or_null(text()), "Whose it is; null: the server's."},
                                                                     {"allowed", anything(), "How much, or which tools."},
                                                                     {"used", anything(), "By the whole run."},
                                                                     {"tool", or_null(text()), "The one that is not allowed."}}));
    return {"limit", shape, "The limit that the report goes beyond: the attempt has failed, and nobody tries it again."};
}

}  // namespace belfry::api
