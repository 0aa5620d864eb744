// The route that changes many schedules: by a list of operations, or one operation on all that match a filter.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/batch.hpp"
#include "api/contract/cursor.hpp"
#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/schedules/schedule_writes.hpp"
#include "engine/jobs/usage_meter.hpp"

namespace belfry::api {

namespace schedule_batch_routes {

using boost::json::object;
using Verb = engine::Schedules::Verb;

constexpr const char* kOperation = "operation";

std::optional<Verb> verb_of(const std::string& operation) {
    if (operation == "pause") return Verb::pause;
    if (operation == "resume") return Verb::resume;
    if (operation == "delete") return Verb::remove;
    return std::nullopt;
}

const std::vector<Member>& common_members() {
    static const std::vector<Member> members{
        {"reason", reason_text(), "Reason for the request. Recorded in the history of each schedule."}};
    return members;
}

const Member kUntil{"until", instant(), "Of a pause: time at which the schedule resumes automatically."};

ShapePtr item_shape() {
    return record(
        "ScheduleOperation",
        {{kOperation, one_of({"create", "update", "pause", "resume", "delete"}), "What to do.", Presence::required},
         {"schedule", name_text(), "Name or id of the schedule. Required for everything but `create`."},
         {"definition", anything(), "Of `create`: the schedule. Of `update`: a merge patch (RFC 7386), as for PATCH."},
         {"version", integer(1),
          "Of `update`: the expected version. If the stored one differs, nothing "
          "changes."},
         kUntil,
         item_key_member()});
}

std::vector<Member> filter_form() {
    return {{kOperation, one_of({"pause", "resume", "delete"}), "What to do with every matching schedule."},
            {"filter", record("ScheduleFilter", schedule_filter_members()),
             "Instead of `items`: the schedules, as in the list of schedules. Has at least one member."},
            {"cursor", checked_text("cursor", &parses<&parse_cursor>), "`nextCursor` of the previous response."},
            kUntil};
}

struct BatchWriter {
    ScheduleWriter schedules;
    engine::UsageMeter& usage;
    ItemCharge charge;
};

// Processes the items of a list. Neighbours with operations of one kind share transactions, and everything happens in
// order.
class Batch {
public:
    Batch(const BatchWriter& writer, const Call& call, std::string reason)
        : writer_(writer.schedules), usage_(writer.usage), call_(call), reason_(std::move(reason)) {}

    void add(const Json& item) {
        const auto index = answers_.size();
        answers_.emplace_back(nullptr);
        if (auto error = read(item, index)) answers_[index] = item_json(*error);
    }
    void add(const store::ScheduleRef& ref, Verb verb, std::optional<Instant> until) {
        answers_.emplace_back(nullptr);
        change(answers_.size() - 1, {ref, verb, call_.context(reason_), until});
    }

    boost::json::array finish() {
        create_all();
        change_all();
        return std::move(answers_);
    }

private:
    std::optional<Error> read(const Json& item, std::size_t index) {
        if (auto error = check_item(item, *item_shape(), index)) return error;
        const Values values(item);
        const auto operation = *values.text(kOperation);
        const auto* const definition = values.has("definition") ? values.any("definition") : nullptr;
        if (operation != "create" && !values.has("schedule")) return missing("schedule", operation, index);
        if (const auto verb = verb_of(operation)) {
            change(index, {schedule_named(call_.tenant(), *values.text("schedule")), *verb, call_.context(reason_),
                           values.instant("until")});
            return std::nullopt;
        }
        if (definition == nullptr) return missing("definition", operation, index);
        if (auto full = usage_.check_room(call_.tenant())) return in_item(*full, index);
        return operation == "create" ? create(item, *definition, index) : update(values, *definition, index);
    }

    static Error missing(const std::string& member, const std::string& operation, std::size_t index) {
        return in_field(invalid(operation + " needs this member"), item_place(index) + "/" + member);
    }
    static Error in_definition(const Error& error, std::size_t index) {
        return in_item(error.field.starts_with('/') ? in_field(error, "/definition") : error, index);
    }

    std::optional<Error> create(const Json& item, const Json& definition, std::size_t index) {
        const auto place = item_place(index) + "/definition";
        if (auto errors = check(definition, *schedule_request_shape(), Side::request, place); !errors.empty())
            return combine_errors(std::move(errors));
        auto context = context_of_item(call_, item, tenant_path(call_.tenant(), "/schedules"), reason_);
        auto wanted = read_new(writer_, call_.tenant(), definition, context);
        if (!wanted) return in_definition(wanted.error(), index);
        change_all();
        wanted_.push_back(std::move(*wanted));
        new_places_.push_back({index, &definition});
        return std::nullopt;
    }

    std::optional<Error> update(const Values& values, const Json& definition, std::size_t index) {
        const auto place = item_place(index) + "/definition";
        if (auto errors = check(definition, *schedule_patch_shape(), Side::request, place); !errors.empty())
            return combine_errors(std::move(errors));
        create_all();
        change_all();
        const auto ref = schedule_named(call_.tenant(), *values.text("schedule"));
        auto record = patch_schedule(writer_, ref, values.integer("version"), definition, call_.context(reason_));
        if (!record) return in_definition(record.error(), index);
        answers_[index] = made(200, *record);
        return std::nullopt;
    }

    void change(std::size_t index, engine::Schedules::StatusChange change) {
        create_all();
        changes_.push_back(std::move(change));
        changed_places_.push_back(index);
    }

    [[nodiscard]] Json made(int status, const store::ScheduleRecord& record, bool repeated = false) const {
        return item_json(status, "schedule", to_json(record, writer_.view.zones, std::nullopt), repeated);
    }

    void create_all() {
        if (wanted_.empty()) return;
        const auto created = writer_.schedules.create_each(std::exchange(wanted_, {}));
        for (std::size_t i = 0; i < created.size(); ++i) {
            const auto& [index, definition] = new_places_[i];
            answers_[index] = created[i]
                                  ? made(201, *created[i], created[i]->repeated)
                                  : item_json(in_definition(in_words_of(*definition, created[i].error()), index));
        }
        new_places_.clear();
    }

    void change_all() {
        if (changes_.empty()) return;
        const auto records = writer_.schedules.change_each(changes_);
        for (std::size_t i = 0; i < records.size(); ++i) {
            const auto index = changed_places_[i];
            answers_[index] = records[i] ? made(200, *records[i]) : item_json(in_item(records[i].error(), index));
        }
        changes_.clear();
        changed_places_.clear();
    }

    const ScheduleWriter& writer_;
    engine::UsageMeter& usage_;
    const Call& call_;
    const std::string reason_;
    boost::json::array answers_ = {};
    std::vector<engine::Schedules::Wanted> wanted_ = {};
    std::vector<std::pair<std::size_t, const Json*>> new_places_ = {};
    std::vector<engine::Schedules::StatusChange> changes_ = {};
    std::vector<std::size_t> changed_places_ = {};
};

Result<Response> change_listed(const BatchWriter& writer, const Call& call) {
    const auto items = read_items(call, common_members());
    if (!items) return items.error();
    if (writer.charge) writer.charge(call.principal, (*items)->size() - 1);
    Batch batch(writer, call, Values(call.body).text("reason").value_or(""));
    for (const auto& item : **items) batch.add(item);
    return json_response(object{{"items", batch.finish()}, {"nextCursor", nullptr}});
}

Result<Response> change_matching(const BatchWriter& writer, const Call& call) {
    auto members = filter_form();
    members.insert(members.end(), common_members().begin(), common_members().end());
    for (auto& member : members) {
        if (member.name == kOperation) member.presence = Presence::required;
    }
    if (auto errors = check(call.body, *record("", std::move(members))); !errors.empty())
        return combine_errors(std::move(errors));
    const Values values(call.body);
    Parameters::Pairs pairs;
    for (const auto& member : values.any("filter")->get_object()) {
        if (!member.value().is_null()) pairs.emplace_back(member.key(), member.value().get_string());
    }
    if (pairs.empty()) return in_field(invalid("selects all schedules; set at least one member"), "/filter");
    const auto filter = read_schedule_filter(Parameters(std::move(pairs)), call.tenant());
    const store::Page page{.after = values.parsed("cursor", &parse_cursor).value_or(""),
                           .limit = static_cast<std::size_t>(kBatchItemsMax)};
    const auto found = writer.schedules.view.reader.schedules(filter, page);
    if (!found) return found.error();
    if (writer.charge && found->items.size() > 1) writer.charge(call.principal, found->items.size() - 1);
    Batch batch(writer, call, values.text("reason").value_or(""));
    const auto verb = *verb_of(*values.text(kOperation));
    for (const auto& record : found->items)
        batch.add({.tenant = call.tenant(), .id = record.definition.id}, verb, values.instant("until"));
    return json_response(object{{"items", batch.finish()},
                                {"nextCursor", found->next.empty() ? Json(nullptr) : Json(cursor_text(found->next))}});
}

}  // namespace schedule_batch_routes

void add_schedule_batch_routes(Routes& routes, engine::Schedules& schedules, engine::Assignments& assignments,
                               engine::UsageMeter& usage, const ScheduleView& view, const ScheduleLimits& limits,
                               const ItemCharge& charge) {
    using namespace schedule_batch_routes;
    const BatchWriter writer{{schedules, assignments, view, limits}, usage, charge};
    auto members = filter_form();
    auto items = items_member(item_shape());
    items.presence = Presence::optional;
    items.says = "Operations, each processed on its own, in order.";
    members.insert(members.begin(), std::move(items));
    members.insert(members.end(), common_members().begin(), common_members().end());
    routes.push_back(
        {.method = "POST",
         .pattern = "/api/tenants/{tenant}/schedules/batch",
         .operation = "changeSchedules",
         .summary = "Create, update, pause, resume or delete up to 1,000 schedules.",
         .details = "Send either `items`, a list of operations, or `operation` and `filter`, one operation on every "
                    "matching schedule. Each schedule has its own result. If more than 1,000 schedules match, the "
                    "response has a cursor for the next request.",
         .group = "Schedules",
         .permission = model::Permission::write,
         .body = record("ScheduleOperations", std::move(members)),
         .handler_checks_body = true,
         .answers = {{200,
                      batch_answer(
                          "ChangedSchedules", {"schedule", schedule_shape(), "The schedule after the operation."},
                          {{"nextCursor", or_null(text()),
                            "Cursor for the schedules that are left. Null if there are none.", Presence::required}})}},
         .handler = [writer](const Call& call) {
             return Values(call.body).has("filter") ? change_matching(writer, call) : change_listed(writer, call);
         }});
}

}  // namespace belfry::api
