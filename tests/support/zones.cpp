#include "support/zones.hpp"

namespace belfry::test {

const spec::ZoneDatabase& zones() {
    static const auto database = spec::ZoneDatabase::open(spec::ZoneDatabase::system_folder());
    return database.value();
}

spec::ZonePtr zone(const std::string& name) { return zones().find(name).value(); }

Instant instant(const std::string& text) { return parse_instant(text).value(); }

spec::CronRule cron(const std::string& expression, const std::string& zone_name, spec::DstRules rules) {
    return {spec::parse_cron(expression).value(), zone(zone_name), rules};
}

spec::Spec compile(const spec::SpecText& text) { return spec::Spec::compile(text, zones()).value(); }

}  // namespace belfry::test
