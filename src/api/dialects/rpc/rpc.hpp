// The dialect of PostgREST and Supabase clients: functions that clients call by POST /rpc/<name> with named arguments.
// This header is internal to the dialect.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/contract/values.hpp"
#include "api/dialects/dialects.hpp"
#include "store/listing.hpp"

namespace belfry::api::rpc {

// -- Errors in PostgREST's format: {"code", "details", "hint", "message"}.

struct Refusal {
    int status = 400;
    std::string code;  // of PostgreSQL, or PGRST… of PostgREST
    std::string message;
    std::string details = {};  // empty: null
    std::string hint = {};
    std::int64_t retry_after_s = 1;  // of 503 and 429; 0: waiting does not help
};
[[nodiscard]] Response response_of(const Refusal& refusal);
// Maps an error of the engine, the router or the gate. A missing object and one of another tenant look the same.
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
    std::string says;  // description of the answer
    std::function<Result<Response>(const Call&)> handler;
};
[[nodiscard]] Route route_of(Function function, const std::shared_ptr<const Dialect>& dialect);

// Returns the error with which PostgREST would reject these arguments, if any.
[[nodiscard]] std::optional<Refusal> check_arguments(const std::string& name, const Shape& arguments, const Json& body);
// The error for a function that does not exist, or not with these arguments. `meant` is a similar call that exists, or
// empty.
[[nodiscard]] Refusal no_such_function(const std::string& name, const Json& body, const std::string& meant);

[[nodiscard]] Member schedule_argument();
// `p_limit`: clamped to 1 to `most`.
[[nodiscard]] Member limit_argument(std::int64_t usual, std::int64_t most);
[[nodiscard]] std::size_t read_limit(const Values& arguments, std::int64_t usual, std::int64_t most);

// Finds the schedule of `p_schedule_id` in the workspace of the call; not_found when there is none. A deleted one is
// found only for functions that read history.
enum class Deleted : std::uint8_t { hidden, shown };
[[nodiscard]] Result<store::ScheduleRecord> schedule_of(store::StoreReader& reader, const Call& call,
                                                        Deleted deleted = Deleted::hidden);

// -- fn_upsert_workflow_schedule.

[[nodiscard]] ShapePtr upsert_arguments();
// Applies the arguments to the native JSON of a schedule: of the stored one, or {} for a new one. Policies that the
// arguments omit are removed; members without an argument stay.
void put_arguments(const Values& arguments, boost::json::object& native);
// Sets the function's defaults for policies that are not set.
void put_defaults(boost::json::object& native);
// Maps an error about the native JSON to the names of the arguments.
[[nodiscard]] Error in_arguments(Error error);

// -- Rows.

// A function returns all its rows at once, so their size is limited to that of a page of the native API.
class RowBudget {
public:
    // Returns an error when this row exceeds the limit.
    [[nodiscard]] std::optional<Error> add(const Json& row);

private:
    store::PageBudget budget_{std::numeric_limits<std::size_t>::max(), store::kPageBytesMax};
};

[[nodiscard]] ShapePtr schedule_row_shape();
[[nodiscard]] Result<boost::json::object> schedule_row(store::StoreReader& reader,
                                                       const engine::Connections& connections,
                                                       const store::ScheduleRecord& record);
// The response of a function that returns one row.
[[nodiscard]] Result<Response> row_response(store::StoreReader& reader, const engine::Connections& connections,
                                            const Result<store::ScheduleRecord>& record);
// `parallel`, `serial`, or the native name of another overlap policy.
[[nodiscard]] std::string_view queue_mode(model::OverlapPolicy policy);

// -- Functions by subject.

void add_upsert_function(std::vector<Function>& functions, const RpcServices& services, const ScheduleLimits& limits);
void add_schedule_functions(std::vector<Function>& functions, const RpcServices& services);
void add_run_functions(std::vector<Function>& functions, store::StoreReader& reader);
void add_action_log_function(std::vector<Function>& functions, store::StoreReader& reader);

}  // namespace belfry::api::rpc
