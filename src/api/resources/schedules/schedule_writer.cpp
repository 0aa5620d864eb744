#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_members.hpp"

namespace belfry::api {

namespace {

class JsonMembers final : public StateMembers {
public:
    explicit JsonMembers(boost::json::object& out) : out_(out) {}
    void null(std::string_view name) override { out_[name] = nullptr; }
    void flag(std::string_view name, bool value) override { out_[name] = value; }
    void number(std::string_view name, std::int64_t value) override { out_[name] = value; }
    void text(std::string_view name, std::string_view value) override { out_[name] = value; }
    void word(std::string_view name, std::string_view value) override { out_[name] = value; }
    void json(std::string_view name, const Json& value) override { out_[name] = value; }

private:
    boost::json::object& out_;
};

void append(boost::json::object& out, boost::json::object members) {
    for (auto& member : members) out.emplace(member.key(), std::move(member.value()));
}

}  // namespace

boost::json::object to_json(const model::Schedule& definition, const spec::ZoneDatabase& zones) {
    auto [identity, rules, origin] = definition_members(definition, zones);
    auto out = std::move(identity);
    append(out, std::move(rules));
    append(out, std::move(origin));
    return out;
}

boost::json::object to_json(const store::ScheduleRecord& record, const spec::ZoneDatabase& zones,
                            const std::optional<Json>& last_result) {
    auto [identity, rules, origin] = definition_members(record.definition, zones);
    auto out = std::move(identity);
    JsonMembers state(out);
    add_standing(state, record);
    append(out, std::move(rules));
    add_progress(state, record, zones, last_result);
    append(out, std::move(origin));
    return out;
}

}  // namespace belfry::api
