#include "model/schedule_json.hpp"

namespace belfry::model {

namespace {

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

Json non_empty(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json to_json(const spec::SpecText& spec) {
    boost::json::array intervals;
    for (const auto& interval : spec.intervals) intervals.push_back({{"every", interval.every}, {"offset", non_empty(interval.offset)}});
    return {{"cron", boost::json::array(spec.cron.begin(), spec.cron.end())},
            {"intervals", std::move(intervals)},
            {"at", boost::json::array(spec.at.begin(), spec.at.end())},
            {"timezone", spec.timezone},
            {"startAt", or_null(spec.start_at)},
            {"endAt", or_null(spec.end_at)},
            {"dst", {{"gap", name_of(spec.dst.gap)}, {"repeat", name_of(spec.dst.repeat)}}},
            {"jitter", {{"before", non_empty(spec.jitter.before)}, {"after", non_empty(spec.jitter.after)}}}};
}

Json to_json(const Target& target) {
    boost::json::object metadata;
    for (const auto& [key, value] : target.metadata) metadata[key] = value;
    return {{"type", name_of(target.type)},
            {target.type == TargetType::workflow ? "workflowKind" : "taskKind", target.kind},
            {"version", target.version ? Json(*target.version) : Json(nullptr)},
            {"input", target.input},
            {"metadata", std::move(metadata)},
            {"queue", target.queue},
            {"connection", or_null(target.connection)},
            {"priority", target.priority}};
}

}  // namespace belfry::model
