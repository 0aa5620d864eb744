#include "api/dialects/rpc/run_search.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/text/json_size.hpp"
#include "engine/explain/run_definitions.hpp"
#include "store/listing.hpp"

namespace belfry::api::rpc {

namespace {

constexpr int kPagesMax = 20;  // of the ledger, searched in one call

struct FoundRuns {
    std::vector<model::Run> runs = {};
    std::vector<model::DefinitionPtr> definitions = {};  // one for each run
    store::PageBudget inputs{std::numeric_limits<std::size_t>::max(), store::kPageBytesMax};
};

bool is_of(const model::Schedule& definition, const RunSearch& search) {
    if (!search.workflow.empty() && definition.target.kind != search.workflow) return false;
    return search.assignee.empty() || (definition.assignee && definition.assignee->id == search.assignee);
}

// Adds the dispatched runs of a page.
Result<void> add_page(store::StoreReader& reader, const RunSearch& search, std::vector<model::Run> page,
                      std::size_t& to_skip, FoundRuns& found) {
    std::erase_if(page, [&search](const model::Run& run) {
        return run.dispatch != model::DispatchStatus::dispatched ||
               (search.decided_before && run.decided_at >= *search.decided_before);
    });
    auto definitions = engine::definitions_of(reader, search.filter.tenant, page);
    if (!definitions) return definitions.error();
    for (std::size_t i = 0; i < page.size() && found.runs.size() < search.limit; ++i) {
        if (!is_of(*(*definitions)[i], search)) continue;
        if (to_skip > 0) {
            --to_skip;
            continue;
        }
        page[i].result = nullptr;  // no function returns it
        if (!search.with_input) page[i].input = nullptr;
        if (found.inputs.is_full())
            return in_field(invalid("the rows have more than 4 MiB; request fewer of them"), "/p_limit");
        found.inputs.add(text_size(page[i].input));
        found.runs.push_back(std::move(page[i]));
        found.definitions.push_back((*definitions)[i]);
    }
    return {};
}

Result<FoundRuns> find_runs(store::StoreReader& reader, RunSearch search) {
    FoundRuns found;
    auto to_skip = search.offset;
    for (int i = 0; i < kPagesMax && found.runs.size() < search.limit; ++i) {
        auto listing = reader.runs(search.filter, {.after = std::move(search.after), .limit = store::kPageMax});
        if (!listing) return listing.error();
        if (auto added = add_page(reader, search, std::move(listing->items), to_skip, found); !added)
            return added.error();
        if (listing->next.empty()) break;
        search.after = std::move(listing->next);
    }
    return found;
}

}  // namespace

Result<void> add_runs(store::StoreReader& reader, RunSearch search, RowSink& sink, const RunRow& row) {
    const auto tenant = search.filter.tenant;
    const auto found = find_runs(reader, std::move(search));
    if (!found) return found.error();
    const auto natives = runs_json(reader, tenant, found->runs);
    if (!natives) return natives.error();
    for (std::size_t i = 0; i < natives->size() && sink.wants_more(); ++i)
        sink.add(row((*natives)[i], *found->definitions[i]));
    return {};
}

boost::json::object run_row(const Json& run, std::initializer_list<std::pair<const char*, const char*>> columns) {
    boost::json::object row;
    for (const auto& [column, member] : columns) row[column] = run.get_object().at(member);
    return row;
}

ShapePtr member_of_run(std::string_view name) {
    return std::ranges::find(run_shape()->members, name, &Member::name)->shape;
}

Function run_function(store::StoreReader& reader, std::string name, std::string summary, ShapePtr arguments,
                      ShapePtr row, RunRows rows) {
    return {.name = std::move(name),
            .summary = std::move(summary),
            .details = "Reads the ledger of runs, so it also finds the runs of a deleted schedule.",
            .arguments = std::move(arguments),
            .answer = std::move(row),
            .says = "The rows, newest occurrence first.",
            .rows = [&reader, rows](const Call& call, RowSink& sink) { return rows(reader, call, sink); }};
}

}  // namespace belfry::api::rpc
