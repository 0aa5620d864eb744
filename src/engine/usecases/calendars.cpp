#include "engine/usecases/calendars.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "decide/schedule/compiled_schedule.hpp"

namespace belfry::engine {

namespace chrono = std::chrono;

namespace {

constexpr int kAttachTries = 5;         // when others change the same schedule
constexpr std::size_t kPagesRead = 20;  // pages of schedules that are searched for users of a calendar

// Probably the wrong file, or all its dates have passed. A calendar without dates would allow every occurrence, or
// none.
Error no_dates(const spec::IcsReading& reading) {
    auto message = std::string("the file has no usable date; nothing was changed");
    if (!reading.ignored.empty())
        message +=
            "; the first ignored event is " + reading.ignored.front().event + ": " + reading.ignored.front().reason;
    return {ErrorCode::invalid_argument, message};
}

Error built_in(const std::string& name) {
    return {ErrorCode::forbidden,
            "calendar " + name + " is built in and cannot be changed; clone it and change the clone"};
}

Error changed_meanwhile(std::int64_t stored, std::int64_t expected) {
    return {ErrorCode::conflict, "the calendar has changed: it is at version " + std::to_string(stored) + ", not " +
                                     std::to_string(expected) + "; read it again"};
}

std::vector<std::string> texts_of(const std::vector<spec::Date>& dates) {
    std::vector<std::string> texts;
    for (const auto date : dates) texts.push_back(format_date(date));
    return texts;
}

std::string without_dates(spec::CalendarKind kind) {
    return kind == spec::CalendarKind::skip_dates ? "nothing is skipped" : "schedules that use it no longer fire";
}

}  // namespace

Result<void> Calendars::for_each(const std::string& tenant, const std::function<void(const Record&)>& visit) {
    store::Page page{.limit = store::kPageMax};
    do {
        const auto listing = store_.calendars(tenant, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) visit(record);
        page.after = listing->next;
    } while (!page.after.empty());
    for (const auto& calendar : spec::built_in_calendars()) visit({calendar, 1});
    return {};
}

Result<Calendars::Record> Calendars::get(const std::string& tenant, const std::string& name) {
    if (auto found = decide::find_built_in_calendar(name)) return Record{std::move(*found), 1};
    return store_.calendar(tenant, name);
}

CalendarOutlook Calendars::outlook(const spec::CalendarText& calendar, Instant now) const {
    const auto compiled = spec::Calendar::compile(calendar, zones_);
    if (!compiled) return {.warning = "the calendar cannot be used: " + compiled.error().message};
    const auto last = compiled->last_date();
    if (!last) return {.warning = "the calendar has no dates: " + without_dates(calendar.kind)};
    const auto today = chrono::floor<chrono::days>(compiled->zone().to_local(now));
    const auto left = (chrono::local_days{*last} - today).count();
    CalendarOutlook outlook{.expires_on = last};
    if (left > kCalendarWarningDays) return outlook;
    const auto when = left < 0    ? "has passed"
                      : left == 0 ? "is today"
                                  : "is in " + std::to_string(left) + (left == 1 ? " day" : " days");
    outlook.warning = "its last date, " + format_date(*last) + ", " + when +
                      (calendar.built_in ? "; clone it and add dates, or after it " : "; add dates, or after it ") +
                      without_dates(calendar.kind);
    return outlook;
}

Result<spec::CalendarText> Calendars::checked(spec::CalendarText calendar) const {
    const auto compiled = spec::Calendar::compile(calendar, zones_);
    if (!compiled) return compiled.error();
    calendar.dates = texts_of(compiled->dates());
    calendar.built_in = false;
    return calendar;
}

Result<Calendars::Record> Calendars::create(const std::string& tenant, spec::CalendarText calendar) {
    const Error taken{ErrorCode::already_exists, "a calendar named " + calendar.name + " already exists", "/name"};
    if (decide::find_built_in_calendar(calendar.name)) return taken;
    auto made = checked(std::move(calendar));
    if (!made) return made.error();
    Record record{std::move(*made), 1};
    auto put = store_.put_calendar(tenant, record);
    if (put) return record;
    return put.error().code == ErrorCode::conflict ? taken : put.error();
}

Result<Calendars::Record> Calendars::replace(const std::string& tenant, spec::CalendarText calendar,
                                             std::optional<std::int64_t> version) {
    if (decide::find_built_in_calendar(calendar.name)) return built_in(calendar.name);
    const auto stored = store_.calendar(tenant, calendar.name);
    if (!stored) return stored;
    if (version && *version != stored->version) return changed_meanwhile(stored->version, *version);
    auto made = checked(std::move(calendar));
    if (!made) return made.error();
    Record record{std::move(*made), stored->version + 1};
    if (auto put = store_.put_calendar(tenant, record); !put) return put.error();
    return record;
}

// The store names one schedule; the caller needs the names of all to detach the calendar.
Error Calendars::in_use(const std::string& tenant, const std::string& name, Error error) {
    std::vector<std::string> users;
    store::Page page{.limit = store::kPageMax};
    for (std::size_t i = 0; i < kPagesRead && users.size() <= kUsersNamedMax; ++i) {
        const auto listing = store_.schedules({.tenant = tenant}, page);
        if (!listing) return error;
        for (const auto& record : listing->items) {
            const auto& used = record.definition.calendars;
            if (std::ranges::find(used, name) != used.end()) users.push_back(record.definition.name);
        }
        if (listing->next.empty()) break;
        page.after = listing->next;
    }
    if (users.empty()) return error;
    std::string names;
    for (std::size_t i = 0; i < std::min(users.size(), kUsersNamedMax); ++i)
        names += (i == 0 ? "" : ", ") + in_quotes(users[i]);
    if (users.size() > kUsersNamedMax) names += " and others";
    error.message = "calendar " + name + " is used by " + names + "; detach it there first";
    return error;
}

Result<void> Calendars::remove(const std::string& tenant, const std::string& name) {
    if (decide::find_built_in_calendar(name)) return built_in(name);
    auto removed = store_.remove_calendar(tenant, name);
    if (!removed && removed.error().code == ErrorCode::conflict) return in_use(tenant, name, removed.error());
    return removed;
}

Result<Calendars::Record> Calendars::clone(const std::string& tenant, const std::string& source,
                                           const std::string& name) {
    auto found = get(tenant, source);
    if (!found) return found;
    found->calendar.name = name;
    return create(tenant, std::move(found->calendar));
}

Result<Calendars::Import> Calendars::import(const std::string& tenant, const ImportRequest& request) {
    if (decide::find_built_in_calendar(request.name)) return built_in(request.name);
    const auto now = store_.now();
    if (!now) return now.error();
    auto stored = store_.calendar(tenant, request.name);
    if (!stored && stored.error().code != ErrorCode::not_found) return stored.error();
    const bool merges = stored && request.merge;
    if (merges && request.kind && *request.kind != stored->calendar.kind) {
        return Error{ErrorCode::invalid_argument,
                     "the calendar is of kind " + std::string(spec::name_of(stored->calendar.kind)) +
                         "; leave kind out, or use mode=replace",
                     "?kind"};
    }
    if (merges && request.timezone && *request.timezone != stored->calendar.timezone) {
        return Error{ErrorCode::invalid_argument,
                     "the calendar is in " + stored->calendar.timezone + "; leave timezone out, or use mode=replace",
                     "?timezone"};
    }
    // A calendar keeps its time zone unless the request names another, because its schedules rely on it.
    const auto timezone = request.timezone.value_or(stored ? stored->calendar.timezone : std::string());
    auto reading = spec::read_ics(request.file, zones_, {timezone, spec::Date{chrono::floor<chrono::days>(*now)}});
    if (!reading) {
        auto error = reading.error();
        if (error.field == "/timezone") error.field = "?timezone";
        return error;
    }
    if (reading->dates.empty()) return no_dates(*reading);
    spec::CalendarText calendar{.name = request.name, .timezone = reading->timezone, .dates = texts_of(reading->dates)};
    calendar.kind = request.kind.value_or(stored ? stored->calendar.kind : spec::CalendarKind::skip_dates);
    const auto before = stored ? stored->calendar.dates : std::vector<std::string>();
    if (merges) calendar.dates.insert(calendar.dates.end(), before.begin(), before.end());
    auto saved = stored ? replace(tenant, std::move(calendar), stored->version) : create(tenant, std::move(calendar));
    if (!saved) return saved.error();
    const auto added = std::ranges::count_if(
        saved->calendar.dates, [&](const auto& date) { return !std::ranges::binary_search(before, date); });
    return Import{std::move(*saved), std::move(*reading), static_cast<std::size_t>(added), !stored};
}

Result<Schedules::Record> Calendars::change(const Ref& ref, const std::string& calendar, bool attached,
                                            const Context& context) {
    for (int i = 0;; ++i) {
        auto stored = store_.schedule(ref);
        if (!stored) return stored;
        const auto& names = stored->definition.calendars;
        if ((std::ranges::find(names, calendar) != names.end()) == attached) return stored;
        const auto edit = [&](const model::Schedule& before) -> Result<model::Schedule> {
            auto after = before;
            std::erase(after.calendars, calendar);
            if (attached) after.calendars.push_back(calendar);
            return after;
        };
        auto changed =
            schedules_.update({.tenant = ref.tenant, .id = stored->definition.id}, std::nullopt, edit, context);
        if (changed || changed.error().code != ErrorCode::conflict || i + 1 == kAttachTries) return changed;
    }
}

Result<Schedules::Record> Calendars::attach(const Ref& ref, const std::string& calendar, const Context& context) {
    if (auto found = get(ref.tenant, calendar); !found) return found.error();
    return change(ref, calendar, true, context);
}

Result<Schedules::Record> Calendars::detach(const Ref& ref, const std::string& calendar, const Context& context) {
    return change(ref, calendar, false, context);
}

}  // namespace belfry::engine
