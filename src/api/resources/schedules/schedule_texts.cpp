#include "api/resources/schedules/schedule_texts.hpp"

#include "api/contract/cursor.hpp"
#include "api/contract/json_values.hpp"
#include "api/resources/schedules/schedule_members.hpp"

namespace belfry::api {

namespace {

// The members without the surrounding braces, to insert among others.
std::string members_text(const boost::json::object& members) {
    auto text = to_text(members);
    return text.substr(1, text.size() - 2);
}

// Writes the members of the state between two parts of the definition, each with a comma before it.
class TextMembers final : public StateMembers {
public:
    explicit TextMembers(std::string& out) : out_(out) {}
    void null(std::string_view name) override { begin(name) += "null"; }
    void flag(std::string_view name, bool value) override { begin(name) += value ? "true" : "false"; }
    void number(std::string_view name, std::int64_t value) override { begin(name) += std::to_string(value); }
    void text(std::string_view name, std::string_view value) override { json(name, Json(value)); }
    void word(std::string_view name, std::string_view value) override { ((begin(name) += '"') += value) += '"'; }
    void json(std::string_view name, const Json& value) override { begin(name) += to_text(value); }

private:
    std::string& begin(std::string_view name) { return ((out_ += ",\"") += name) += "\":"; }

    std::string& out_;
};

}  // namespace

std::shared_ptr<const ScheduleTexts::Lasting> ScheduleTexts::lasting(const store::ScheduleRecord& record) {
    const auto& schedule = record.definition;
    const auto key = schedule.id + ' ' + std::to_string(schedule.version);
    if (auto found = lasting_.find(key)) return found;
    const auto members = definition_members(schedule, zones_);
    auto made = std::make_shared<const Lasting>(
        Lasting{members_text(members.identity), members_text(members.rules), members_text(members.origin)});
    if (record.unreadable.empty()) lasting_.keep(key, made, made->bytes());
    return made;
}

void ScheduleTexts::write(std::string& out, const store::ScheduleRecord& record,
                          const std::optional<Json>& last_result) {
    const auto definition = lasting(record);
    TextMembers state(out);
    (out += '{') += definition->identity;
    add_standing(state, record);
    (out += ',') += definition->rules;
    add_progress(state, record, zones_, last_result);
    ((out += ',') += definition->origin) += '}';
}

std::string ScheduleTexts::text(const store::ScheduleRecord& record, const std::optional<Json>& last_result) {
    std::string out;
    write(out, record, last_result);
    return out;
}

std::string ScheduleTexts::page(const store::Listing<store::ScheduleRecord>& listing) {
    std::string out = R"({"items":[)";
    const char* separator = "";
    for (const auto& record : listing.items) {
        out += std::exchange(separator, ",");
        write(out, record, std::nullopt);
        // All schedules are about as long as the first.
        if (&record == &listing.items.front()) out.reserve(out.size() * (listing.items.size() + 1));
    }
    ((out += R"(],"nextCursor":)") += to_text(or_null(cursor_text(listing.next)))) += '}';
    return out;
}

}  // namespace belfry::api
