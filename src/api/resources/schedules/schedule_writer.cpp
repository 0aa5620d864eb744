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

}  // namespace

boost::json::object to_json(const model::Schedule& definition, const spec::ZoneDatabase& zones) {
    boost::json::object out;
    add_identity(out, definition);
    add_rules(out, definition, zones);
    add_origin(out, definition);
    return out;
}

boost::json::object to_json(const store::ScheduleRecord& record, const spec::ZoneDatabase& zones,
                            const std::optional<Json>& last_result) {
    boost::json::object out;
    JsonMembers state(out);
    add_identity(out, record.definition);
    add_standing(state, record);
    add_rules(out, record.definition, zones);
    add_progress(state, record, zones, last_result);
    add_origin(out, record.definition);
    return out;
}

}  // namespace belfry::api
