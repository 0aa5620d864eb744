#include "engine/explain/load.hpp"

namespace belfry::engine {

namespace {

// Jitter moves a fire time between its occurrence's neighbours, so this also checks one neighbour on either side.
void count(const model::Schedule& schedule, const spec::Spec& spec, const LoadRequest& request, Load& load) {
    const auto first = spec.previous(request.from).value_or(request.from);
    for (auto at = spec.next(first - Micros{1}); at; at = spec.next(*at)) {
        const auto fire = spec.fire_time(schedule.id, *at);
        if (fire >= request.from && fire < request.to) {
            if (load.fires >= kLoadFiresMax) {
                load.complete = false;
                return;
            }
            ++load.fires;
            ++load.buckets[static_cast<std::size_t>((fire - request.from) / request.bucket)];
        }
        if (*at >= request.to && fire >= request.to) return;
    }
}

}  // namespace

Result<Load> planned_load(store::StoreReader& store, const spec::ZoneDatabase& zones, const std::string& tenant,
                          const LoadRequest& request) {
    if (request.to <= request.from) return Error{ErrorCode::invalid_argument, "to must be after from", "?to"};
    if (request.to - request.from > kLoadSpanMax)
        return Error{ErrorCode::invalid_argument, "the window is longer than a day; choose a shorter one", "?to"};
    if (request.bucket < Seconds{1})
        return Error{ErrorCode::invalid_argument, "a bucket has at least one second", "?bucket"};
    const auto buckets = (request.to - request.from + request.bucket - Micros{1}) / request.bucket;
    if (buckets > kLoadBucketsMax) {
        return Error{ErrorCode::invalid_argument,
                     "that makes " + std::to_string(buckets) + " buckets; choose longer ones, for at most " +
                         std::to_string(kLoadBucketsMax),
                     "?bucket"};
    }
    Load load;
    load.buckets.resize(static_cast<std::size_t>(buckets));
    store::ScheduleFilter filter{.tenant = tenant, .status = model::ScheduleStatus::active};
    store::Page page{.limit = store::kPageMax};
    do {
        const auto listing = store.schedules(filter, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) {
            if (load.schedules >= static_cast<std::int64_t>(kLoadSchedulesMax)) load.complete = false;
            if (!load.complete) return load;
            ++load.schedules;
            // A schedule that does not compile does not fire.
            const auto spec = spec::Spec::compile(record.definition.spec, zones);
            if (spec) count(record.definition, *spec, request, load);
        }
        page.after = listing->next;
    } while (!page.after.empty());
    return load;
}

}  // namespace belfry::engine
