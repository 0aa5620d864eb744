// Schedules as the text of answers. The same as to_text(to_json(…)), only faster: what a version of a definition says never
// changes, so it is written once, and only the state is written for every answer. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/lru_cache.hpp"
#include "spec/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::api {

class ScheduleTexts {
public:
    // REQUIRES: the zones outlive it.
    explicit ScheduleTexts(const spec::ZoneDatabase& zones) : zones_(zones) {}

    // REQUIRES: a record as it was committed, so that no other definition has its id and version.
    [[nodiscard]] std::string text(const store::ScheduleRecord& record, const std::optional<Json>& last_result);
    // `{"items": […], "nextCursor": …}`; without last results, as lists are.
    [[nodiscard]] std::string page(const store::Listing<store::ScheduleRecord>& listing);

private:
    static constexpr std::size_t kBytesMax = std::size_t{32} << 20U;  // some 20,000 schedules of the usual size

    // The members of a definition, as they stand between those of the state.
    struct Lasting {
        std::string identity;
        std::string rules;
        std::string origin;
        [[nodiscard]] std::size_t bytes() const { return identity.size() + rules.size() + origin.size(); }
    };

    [[nodiscard]] std::shared_ptr<const Lasting> lasting(const store::ScheduleRecord& record);
    void write(std::string& out, const store::ScheduleRecord& record, const std::optional<Json>& last_result);

    const spec::ZoneDatabase& zones_;
    LruCache<std::string, Lasting> lasting_{kBytesMax};  // by id and version
};

}  // namespace belfry::api
