#include "api/resources/schedules/schedule_writes.hpp"

#include "api/contract/names.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "base/errors.hpp"

namespace belfry::api {

namespace {

// Pauses or resumes the schedule after the definition has changed. A rejected request changes nothing.
Result<store::ScheduleRecord> become(engine::Schedules& schedules, const store::ScheduleRecord& record,
                                     std::optional<model::ScheduleStatus> status,
                                     const model::CommandContext& context) {
    if (!status || record.state.status == *status) return record;
    const store::ScheduleRef ref{.tenant = record.definition.tenant, .id = record.definition.id};
    return *status == model::ScheduleStatus::paused ? schedules.pause(ref, {.reason = context.reason}, context)
                                                    : schedules.resume(ref, context);
}

Result<std::pair<std::string, std::string>> parse_label(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return invalid("must be key:value, for example team:billing");
    return std::pair{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

// The engine reports its own errors when it compiles the definition, so this function compiles only if it has found an
// error already.
Result<model::Schedule> check_definition(const ScheduleWriter& writer, Result<model::Schedule> definition) {
    if (!definition) return definition;
    auto errors = check_schedule(*definition, writer.limits);
    if (errors.empty()) return definition;
    if (const auto compiled = writer.schedules.compile(*definition); !compiled) {
        if (compiled.error().code != ErrorCode::invalid_argument) return compiled.error();
        errors.push_back(compiled.error());
    }
    return combine_errors(std::move(errors));
}

Result<engine::Schedules::Wanted> read_new(const ScheduleWriter& writer, const std::string& tenant, const Json& body,
                                           const model::CommandContext& context) {
    const auto status = wanted_status(body, model::ScheduleStatus::active);
    if (!status) return status.error();
    const auto whole = with_assignment(writer.assignments, tenant, body);
    if (!whole) return whole.error();
    auto definition = check_definition(writer, read_new_schedule(*whole, tenant, writer.limits));
    if (!definition) return in_words_of(body, definition.error());
    engine::Schedules::Wanted wanted{.definition = std::move(*definition), .context = context};
    if (*status == model::ScheduleStatus::paused) wanted.paused = decide::PauseRequest{.reason = context.reason};
    return wanted;
}

Result<store::ScheduleRecord> patch_schedule(const ScheduleWriter& writer, const store::ScheduleRef& ref,
                                             std::optional<std::int64_t> version, const Json& body,
                                             const model::CommandContext& context) {
    const auto record = writer.view.reader.schedule(ref);
    if (!record) return record.error();
    const auto status = wanted_status(body, record->state.status);
    if (!status) return status.error();
    if (!changes_definition(body)) {
        // This also works for a schedule whose definition cannot be read.
        const auto stored = record->definition.version;
        if (version && *version != stored) return engine::has_changed(stored, *version);
        return become(writer.schedules, *record, *status, context);
    }
    if (!record->unreadable.empty()) return engine::must_be_replaced(*record);
    const auto edit = [&](const model::Schedule& stored) -> Result<model::Schedule> {
        const auto whole = patched(body, {stored, record->state}, writer.view.zones);
        if (!whole) return whole.error();
        // The patched definition must be complete as well.
        if (auto errors = check(*whole, *schedule_replacement_shape()); !errors.empty())
            return combine_errors(std::move(errors));
        const auto filled = with_assignment(writer.assignments, ref.tenant, *whole);
        if (!filled) return filled.error();
        return check_definition(writer, read_changed_schedule(*filled, stored));
    };
    const auto changed =
        writer.schedules.update({.tenant = ref.tenant, .id = record->definition.id}, version, edit, context);
    if (!changed) return in_words_of(body, about_kept_zone(body, record->definition, changed.error()));
    return become(writer.schedules, *changed, *status, context);
}

std::vector<Member> schedule_filter_members() {
    return {{"status", schedule_status_names(),
             "Return only schedules with this status. By default, all but deleted ones."},
            {"namePrefix", text(), "Return only schedules whose name begins with this text."},
            {"label", checked_text("label", &parses<&parse_label>),
             "Return only schedules with this label, for example `team:billing`."},
            {"target", one_of({"workflow", "task"}), "Return only schedules whose target has this type."},
            {"targetKind", text(), "Return only schedules whose target has exactly this `workflowKind` or `taskKind`."},
            {"queue", text(), "Return only schedules whose target uses this queue."},
            {"q", text(), "Return only schedules whose name contains this text. Case-insensitive."},
            {"nextFrom", instant(), "Return only schedules that fire next at or after this time."},
            {"nextTo", instant(), "Return only schedules that fire next at or before this time."}};
}

store::ScheduleFilter read_schedule_filter(const Parameters& values, const std::string& tenant) {
    store::ScheduleFilter filter{.tenant = tenant};
    filter.status = values.parsed("status", &model::parse_schedule_status);
    filter.name_prefix = values.text("namePrefix").value_or("");
    filter.label = values.parsed("label", &parse_label);
    filter.target_type = values.parsed("target", &model::parse_target_type);
    filter.target_kind = values.text("targetKind").value_or("");
    filter.queue = values.text("queue");
    filter.contains = values.text("q").value_or("");
    filter.next_from = values.instant("nextFrom");
    filter.next_to = values.instant("nextTo");
    return filter;
}

}  // namespace belfry::api
