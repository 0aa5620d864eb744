#include "spec/zone/zone_database.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"

namespace belfry::spec {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDefaultFolder = "/usr/share/zoneinfo";

// `posix` and `right` repeat the whole tree (the latter with leap seconds); the other three depend on the machine.
constexpr std::array<std::string_view, 5> kNotZones{"posix", "right", "localtime", "posixrules", "Factory"};

// Common abbreviations, each with a place that uses it. Most are ambiguous, so they are hints, not aliases.
struct Abbreviation {
    std::string_view name;
    std::string_view place;
};
constexpr std::array kAbbreviations{
    Abbreviation{"Z", "UTC"},
    Abbreviation{"EDT", "America/New_York"},
    Abbreviation{"CST", "America/Chicago"},
    Abbreviation{"CDT", "America/Chicago"},
    Abbreviation{"MDT", "America/Denver"},
    Abbreviation{"PST", "America/Los_Angeles"},
    Abbreviation{"PDT", "America/Los_Angeles"},
    Abbreviation{"BST", "Europe/London"},
    Abbreviation{"CEST", "Europe/Berlin"},
    Abbreviation{"EEST", "Europe/Helsinki"},
    Abbreviation{"MSK", "Europe/Moscow"},
    Abbreviation{"TRT", "Europe/Istanbul"},
    Abbreviation{"IST", "Asia/Kolkata"},
    Abbreviation{"SGT", "Asia/Singapore"},
    Abbreviation{"JST", "Asia/Tokyo"},
    Abbreviation{"KST", "Asia/Seoul"},
    Abbreviation{"AEST", "Australia/Sydney"},
    Abbreviation{"AEDT", "Australia/Sydney"},
    Abbreviation{"NZST", "Pacific/Auckland"},
    Abbreviation{"NZDT", "Pacific/Auckland"},
};

// A name this short resembles too many others to guess.
constexpr std::size_t kShortNameMax = 4;

bool is_zone_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> magic{};
    return file.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == "TZif";
}

std::vector<std::string> list_zones(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator
             it(folder, fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied,
                error),
         end;
         !error && it != end; it.increment(error)) {
        const auto name = it->path().lexically_relative(folder).generic_string();
        if (std::ranges::find(kNotZones, name) != kNotZones.end()) {
            it.disable_recursion_pending();
        } else if (it->is_regular_file(error) && is_zone_file(it->path())) {
            names.push_back(name);
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

std::string ZoneDatabase::system_folder() {
    const char* const folder = std::getenv("TZDIR");  // read once at startup, before any thread
    return folder != nullptr && *folder == '/' ? folder : kDefaultFolder;
}

Result<ZoneDatabase> ZoneDatabase::open(const std::string& folder) {
    ZoneDatabase database(folder);
    database.names_ = list_zones(folder);
    if (!std::ranges::binary_search(database.names_, std::string("UTC"))) {
        return Error{ErrorCode::not_found,
                     "no time zone data in " + in_quotes(folder) + ": install the package tzdata"};
    }
    // tzdata.zi is the database's own text: "# version 2026f" first, and "L target alias" for every alias.
    std::ifstream text(fs::path(folder) / "tzdata.zi");
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::string kind;
        std::string first;
        std::string second;
        words >> kind >> first >> second;
        if (kind == "#" && first == "version") database.version_ = second;
        if (kind == "L" && std::ranges::binary_search(database.names_, second)) database.aliases_[second] = first;
    }
    return database;
}

Result<ZonePtr> ZoneDatabase::find(std::string_view name) const {
    {
        const MutexLock lock(cache_->mutex);
        if (const auto found = cache_->zones.find(name); found != cache_->zones.end()) return found->second;
    }
    if (!std::ranges::binary_search(names_, name)) return unknown(name);
    // Read without the lock; if two threads read the same zone, the first result is kept.
    auto zone = Zone::load(std::string(name), folder_ + "/" + std::string(name));
    if (!zone) return zone.error();
    const MutexLock lock(cache_->mutex);
    return cache_->zones.emplace(name, *zone).first->second;
}

Error ZoneDatabase::unknown(std::string_view name) const {
    std::string message = "unknown time zone " + in_quotes(name) + ": ";
    const auto same =
        std::ranges::find_if(names_, [name](const auto& known) { return same_ignoring_case(known, name); });
    const auto abbreviation = std::ranges::find_if(
        kAbbreviations, [name](const auto& known) { return same_ignoring_case(known.name, name); });
    if (same != names_.end()) {
        message += "use " + *same;
    } else if (abbreviation != kAbbreviations.end()) {
        message += "an abbreviation does not identify the rules; name a place, for example " +
                   std::string(abbreviation->place);
    } else if (std::ranges::any_of(name, is_digit)) {
        message += "an offset is not a zone; name a place such as Europe/Berlin, or use UTC";
    } else if (const auto meant = name.size() > kShortNameMax ? nearest(name, names_) : std::nullopt) {
        message += "did you mean " + *meant + "?";
    } else if (const auto parts = search(name); name.size() > kShortNameMax && !parts.empty()) {
        message += "did you mean " + parts.front() + "?";
    } else {
        message += "use an IANA name such as Europe/Berlin or UTC (belfry tz list shows them all)";
    }
    return invalid(std::move(message), {1, name.size()});
}

std::vector<std::string> ZoneDatabase::search(std::string_view query) const {
    auto wanted = lower_case(query);
    std::ranges::replace(wanted, ' ', '_');
    std::vector<std::string> found;
    std::ranges::copy_if(names_, std::back_inserter(found),
                         [&wanted](const auto& name) { return lower_case(name).find(wanted) != std::string::npos; });
    return found;
}

std::string ZoneDatabase::canonical(std::string_view name) const {
    const auto alias = aliases_.find(name);
    return alias == aliases_.end() ? std::string(name) : alias->second;
}

std::vector<std::string> ZoneDatabase::aliases_of(std::string_view canonical) const {
    std::vector<std::string> result;
    for (const auto& [alias, target] : aliases_) {
        if (target == canonical) result.push_back(alias);
    }
    return result;
}

}  // namespace belfry::spec
