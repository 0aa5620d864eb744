// The time zones of the system: their names, aliases, version and data. The only part of this layer that reads files.
//
// A zone is looked up by name in the database's own list, so that no text from outside becomes a path. Thread-safe;
// each zone is read once and shared.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "spec/zone/zone.hpp"

namespace belfry::spec {

class ZoneDatabase {
public:
    // The folder of compiled zones: $TZDIR if set, otherwise the system's.
    [[nodiscard]] static std::string system_folder();
    [[nodiscard]] static Result<ZoneDatabase> open(const std::string& folder);

    // The zone with this exact name. The error for an unknown name suggests the nearest one.
    [[nodiscard]] Result<ZonePtr> find(std::string_view name) const;

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // sorted

    // Names that contain the query, ignoring case; a blank matches an underscore. All names for an empty query.
    [[nodiscard]] std::vector<std::string> search(std::string_view query) const;

    // The name that an alias stands for (`US/Eastern` is `America/New_York`), or the name itself.
    [[nodiscard]] std::string canonical(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> aliases_of(std::string_view canonical) const;

    // `2026f`, or empty if the folder does not contain it.
    [[nodiscard]] const std::string& version() const { return version_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    // Zones that were read. Behind a pointer, so that a database can be moved.
    struct Cache {
        Mutex mutex;
        std::map<std::string, ZonePtr, std::less<>> zones BELFRY_GUARDED_BY(mutex);
    };

    explicit ZoneDatabase(std::string folder) : folder_(std::move(folder)), cache_(std::make_unique<Cache>()) {}
    [[nodiscard]] Error unknown(std::string_view name) const;

    std::string folder_;
    std::string version_;
    std::vector<std::string> names_;
    std::map<std::string, std::string, std::less<>> aliases_;  // alias to canonical name
    std::unique_ptr<Cache> cache_;
};

}  // namespace belfry::spec
