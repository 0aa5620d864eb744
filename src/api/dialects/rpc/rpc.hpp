// The dialect of PostgREST and Supabase clients: functions that clients call by POST or GET /rpc/<name> with named
// arguments. This header is internal to the dialect.
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
#include "api/dialects/rpc/refusal.hpp"
#include "api/dialects/rpc/row_sink.hpp"

namespace belfry::api::rpc {

// -- Functions.

struct Function {
    std::string name;
    std::string summary;
    std::string details = {};
    model::Permission permission = model::Permission::read;  // a function that only reads is also called by GET
    ShapePtr arguments;                                      // a record, by the names of the arguments
    ShapePtr answer;                                         // of a row, or of the value
    std::string says;                                        // description of the answer
    // Offers the rows. Functions that return one value have `value` instead.
    std::function<Result<void>(const Call&, RowSink&)> rows = {};
    std::function<Result<Json>(const Call&)> value = {};
};
void add_routes(Routes& routes, const Function& function, const std::shared_ptr<const Dialect>& dialect);

// Casts the arguments as PostgreSQL would: "5" to 5 and "false" to false. Returns the error with which PostgREST would
// reject them, if any.
[[nodiscard]] std::optional<Refusal> read_arguments(const std::string& name, const Shape& arguments, Json& body);
// `public.fn_pause_workflow_schedule(p_schedule_id)`, with sorted arguments.
[[nodiscard]] std::string signature(const std::string& name, std::vector<std::string> arguments);
// The error for a function that does not exist, or not with these arguments. `meant` is a similar call that exists, or
// empty.
[[nodiscard]] Refusal no_such_function(const std::string& name, const Json& body, const std::string& meant);

[[nodiscard]] store::ScheduleRef ref_of(const store::ScheduleRecord& record);
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

[[nodiscard]] ShapePtr schedule_row_shape();
[[nodiscard]] Result<boost::json::object> schedule_row(store::StoreReader& reader,
                                                       const engine::Connections& connections,
                                                       const store::ScheduleRecord& record);
// Offers the row of a schedule, the only one of a function that changes it.
[[nodiscard]] Result<void> add_row(const RpcServices& services, const Result<store::ScheduleRecord>& record,
                                   RowSink& sink);
// `parallel`, `serial`, or the native name of another overlap policy.
[[nodiscard]] std::string_view queue_mode(model::OverlapPolicy policy);

// -- Functions by subject.

void add_upsert_function(std::vector<Function>& functions, const RpcServices& services, const ScheduleLimits& limits);
void add_schedule_functions(std::vector<Function>& functions, const RpcServices& services);
void add_change_functions(std::vector<Function>& functions, const RpcServices& services);
void add_part_functions(std::vector<Function>& functions, const RpcServices& services, const ScheduleLimits& limits);
void add_backfill_function(std::vector<Function>& functions, const RpcServices& services);
void add_run_functions(std::vector<Function>& functions, store::StoreReader& reader);
void add_feed_functions(std::vector<Function>& functions, store::StoreReader& reader);
void add_action_log_function(std::vector<Function>& functions, store::StoreReader& reader);

}  // namespace belfry::api::rpc
