// Writes schedules as JSON text. The result equals to_text(to_json(…)), but is faster: the text of a version of a
// definition never changes, so it is cached, and only the state is written for each response. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "base/concurrency/lru_cache.hpp"
#include "base/text/json.hpp"
#include "spec/zone/zone_database.hpp"
#include "store/page.hpp"
#include "store/schedule_record.hpp"

namespace belfry::api {

class ScheduleTexts {
public:
    // REQUIRES: the zones outlive it.
    explicit ScheduleTexts(const spec::ZoneDatabase& zones) : zones_(zones) {}

    // REQUIRES: the record is as committed, so that no other definition has its id and version.
    [[nodiscard]] std::string text(const store::ScheduleRecord& record, const std::optional<Json>& last_result);
    // Writes `{"items": […], "nextCursor": …}`. Lists do not include last results.
    [[nodiscard]] std::string page(const store::Listing<store::ScheduleRecord>& listing);

private:
    static constexpr std::size_t kBytesMax = std::size_t{32} << 20U;  // about 20,000 schedules of usual size

    // The text of a definition, in the parts between which the state stands.
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
