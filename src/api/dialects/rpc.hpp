// The dialect of PostgREST and Supabase clients: functions that are called by POST /rpc/<name> with named arguments. This header
// is for the files of the dialect alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/dialects/dialects.hpp"
#include "api/values.hpp"

namespace belfry::api::rpc {

// -- What goes wrong, as PostgREST tells it: {"code", "details", "hint", "message"}.

struct Refusal {
    int status = 400;
    std::string code;  // of PostgreSQL, or PGRST… of PostgREST
    std::string message;
    std::string details = {};  // empty: null
    std::string hint = {};
};
[[nodiscard]] Response response_of(const Refusal& refusal);
// Of the engine, the router or the gate. What is not there and what is not yours look the same.
[[nodiscard]] Response refused(const Problem& problem);
[[nodiscard]] ShapePtr refusal_shape();

// -- Functions.

struct Function {
    std::string name;
    std::string summary;
    std::string details = {};
    model::Permission permission = model::Permission::read;
    ShapePtr arguments;  // a record, by the names of the arguments
    std::vector<Member> query = {};
    ShapePtr answer;
    std::string says;  // of the answer
    std::function<Result<Response>(const Call&)> handler;
};
[[nodiscard]] Route route_of(Function function, const std::shared_ptr<const Dialect>& dialect);

// Why PostgREST would not find or not call a function with these arguments; nothing: it would.
[[nodiscard]] std::optional<Refusal> check_arguments(const std::string& name, const Shape& arguments, const Json& body);
// There is no function of that name, or none that takes these arguments. `meant` is the call of one that there is, or empty.
[[nodiscard]] Refusal no_such_function(const std::string& name, const Json& body, const std::string& meant);

[[nodiscard]] Member schedule_argument();
// `p_limit`: as many as they ask for, from 1 to `most`.
[[nodiscard]] Member limit_argument(std::int64_t usual, std::int64_t most);
[[nodiscard]] std::size_t read_limit(const Values& arguments, std::int64_t usual, std::int64_t most);

// The schedule of `p_schedule_id`, in the workspace of the call; not_found when it is not there. One that was deleted is there only
// for those who look back.
enum class Deleted : std::uint8_t { hidden, shown };
[[nodiscard]] Result<store::ScheduleRecord> schedule_of(engine::Engine& engine, const Call& call, Deleted deleted = Deleted::hidden);

// -- fn_upsert_workflow_schedule.

[[nodiscard]] ShapePtr upsert_arguments();
// What the arguments say, put into the native JSON of a schedule: of the stored one, or {} for a new one. Policies that they leave
// out are gone from it; what the function has no argument for stays.
void put_arguments(const Values& arguments, boost::json::object& native);
// The defaults of the function, for policies that nobody has said anything about.
void put_defaults(boost::json::object& native);
// An error about the native JSON, in the names of the arguments.
[[nodiscard]] Error in_arguments(Error error);

// -- Rows.

[[nodiscard]] ShapePtr schedule_row_shape();
[[nodiscard]] Result<boost::json::object> schedule_row(engine::Engine& engine, const store::ScheduleRecord& record);
// The answer of a function that returns one row.
[[nodiscard]] Result<Response> row_response(engine::Engine& engine, const Result<store::ScheduleRecord>& record);
// `parallel`, `serial`, or the native name of an overlap policy that is neither.
[[nodiscard]] std::string_view queue_mode(model::OverlapPolicy policy);

// -- Functions by what they are about.

void add_upsert_function(std::vector<Function>& functions, engine::Engine& engine, const ScheduleLimits& limits);
void add_schedule_functions(std::vector<Function>& functions, engine::Engine& engine);
void add_run_functions(std::vector<Function>& functions, engine::Engine& engine);
void add_action_log_function(std::vector<Function>& functions, engine::Engine& engine);

}  // namespace belfry::api::rpc
