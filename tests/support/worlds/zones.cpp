#include "support/worlds/zones.hpp"

#include "support/worlds/temp_folder.hpp"

namespace belfry::test {

const spec::ZoneDatabase& zones() {
    static const auto database = spec::ZoneDatabase::open(spec::ZoneDatabase::system_folder());
    return database.value();
}

spec::ZoneDatabase own_zones() {
    return std::move(spec::ZoneDatabase::open(spec::ZoneDatabase::system_folder()).value());
}

spec::ZoneDatabase utc_alone() {
    static const TempFolder folder;
    static const bool copied =
        std::filesystem::copy_file(spec::ZoneDatabase::system_folder() + "/UTC", folder.file("UTC"));
    return std::move(spec::ZoneDatabase::open(copied ? folder.path() : std::string()).value());
}

spec::ZonePtr zone(const std::string& name) { return zones().find(name).value(); }

Instant instant(const std::string& text) { return parse_instant(text).value(); }

spec::CronRule cron(const std::string& expression, const std::string& zone_name, spec::DstRules rules) {
    return {spec::parse_cron(expression).value(), zone(zone_name), rules};
}

spec::Spec compile(const spec::SpecText& text) { return spec::Spec::compile(text, zones()).value(); }

}  // namespace belfry::test
