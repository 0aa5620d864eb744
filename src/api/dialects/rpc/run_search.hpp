// Searches the ledger for dispatched runs, for the functions that return runs. This header is internal to the dialect.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "api/dialects/rpc/rpc.hpp"

namespace belfry::api::rpc {

inline constexpr std::int64_t kRunRows = 20;
inline constexpr std::int64_t kRunRowsMax = 200;

// Which dispatched runs a function returns.
struct RunSearch {
    store::RunFilter filter;
    std::string after = {};                      // a cursor
    std::optional<Instant> decided_before = {};  // exclusive
    std::string workflow = {};                   // empty: any
    std::string assignee = {};                   // empty: any
    std::size_t offset = 0;
    std::size_t limit = 0;
    bool with_input = false;  // the runs have their input
};

// Offers one row for each run, newest occurrence first: `row` gets the native JSON and the definition. Between two runs
// there may be any number of others, so the search ends after 20 pages of the ledger.
using RunRow = std::function<boost::json::object(const Json& run, const model::Schedule& definition)>;
[[nodiscard]] Result<void> add_runs(store::StoreReader& reader, RunSearch search, RowSink& sink, const RunRow& row);

// Copies members of the native JSON to columns.
[[nodiscard]] boost::json::object run_row(const Json& run,
                                          std::initializer_list<std::pair<const char*, const char*>> columns);
// The shape of a member of the native JSON.
[[nodiscard]] ShapePtr member_of_run(std::string_view name);

// A function that reads the ledger.
using RunRows = Result<void> (*)(store::StoreReader& reader, const Call& call, RowSink& sink);
[[nodiscard]] Function run_function(store::StoreReader& reader, std::string name, std::string summary,
                                    ShapePtr arguments, ShapePtr row, RunRows rows);

}  // namespace belfry::api::rpc
