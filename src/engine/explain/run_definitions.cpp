#include "engine/explain/run_definitions.hpp"

#include <algorithm>

namespace belfry::engine {

Result<std::vector<model::DefinitionPtr>> definitions_of(store::StoreReader& store, const std::string& tenant,
                                                         std::span<const model::Run> runs) {
    std::vector<model::DefinitionPtr> all;
    all.reserve(runs.size());
    while (all.size() < runs.size()) {
        const auto page = runs.subspan(all.size(), std::min(runs.size() - all.size(), store::kPageMax));
        std::vector<store::DefinitionRef> wanted;
        wanted.reserve(page.size());
        for (const auto& run : page) wanted.push_back({run.schedule_id, run.version});
        auto found = store.definitions(tenant, wanted);
        if (!found) return found.error();
        all.insert(all.end(), found->begin(), found->end());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i]) continue;
        auto record = store.schedule({.tenant = tenant, .id = runs[i].schedule_id});
        if (!record) return record.error();
        all[i] = std::make_shared<const model::Schedule>(std::move(record->definition));
    }
    return all;
}

Result<model::DefinitionPtr> definition_of(store::StoreReader& store, const std::string& tenant,
                                           const model::Run& run) {
    auto found = definitions_of(store, tenant, {&run, 1});
    if (!found) return found.error();
    return std::move(found->front());
}

}  // namespace belfry::engine
