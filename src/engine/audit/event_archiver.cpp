#include "engine/audit/event_archiver.hpp"

#include <algorithm>

#include "engine/audit/archive_file.hpp"

namespace belfry::engine {

namespace {

using std::chrono::days;
using std::chrono::floor;

constexpr Micros kDoubtedFor = std::chrono::hours{24};  // how long a step forward does not count, as in the janitor
constexpr Micros kWaitForLead = Seconds{1};             // how often a server that does not lead checks again
constexpr Micros kIdle = std::chrono::hours{1};         // without a limit there is nothing to do

}  // namespace

EventArchiver::EventArchiver(store::HousekeepingStore& store, Observer& observer, Leading leading,
                             EventArchiverOptions options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), kWaitForLead,
                  FailureTracker("archiver", observer, std::move(random))),
      store_(store),
      options_(std::move(options)) {}

// Each sweep archives one day, so that a day has few files however long the backlog is. The first sweep only looks for
// the oldest day.
Result<Micros> EventArchiver::work(Instant now) {
    if (!options_.keep_for) return kIdle;
    if (options_.clock != nullptr) now -= options_.clock->moved_within(kDoubtedFor);
    if (!written_to_.empty()) {
        if (auto removed = remove_some(); !removed) return removed.error();
        return options_.between;
    }
    if (!before_) {
        before_ = kInstantMin;
        place_.emplace();
    }
    if (place_) {
        if (auto read = read_page(); !read) return read.error();
    }
    if (!place_ || collected_ >= options_.collected_max) {
        if (auto written = write_files(); !written) return written.error();
    }
    if (place_ || !written_to_.empty()) return options_.between;
    const auto keep_from = Instant(floor<days>(now - *options_.keep_for));
    const auto oldest = std::exchange(oldest_left_, std::nullopt);
    if (!oldest || *oldest >= keep_from) {
        // The janitor's own sweep may have ended before the events were removed.
        const auto more = store_.shrink();
        if (!more) return more.error();
        if (*more) return options_.between;
        before_.reset();
        broken_.clear();
        return options_.every;
    }
    before_ = std::min(keep_from, Instant(floor<days>(*oldest) + days{1}));
    place_.emplace();
    return options_.between;
}

// Another leader may have removed what this one has read, so it begins anew.
void EventArchiver::rest(bool /*leading*/) {
    before_.reset();
    place_.reset();
    broken_.clear();
    oldest_left_.reset();
    lines_.clear();
    collected_ = 0;
    collected_to_.clear();
    written_to_.clear();
}

Result<void> EventArchiver::read_page() {
    auto page =
        store_.archivable({.before = *before_, .from = *place_, .schedules = options_.batch, .limit = options_.batch});
    if (!page) return page.error();
    for (const auto& part : page->parts) collect(part);
    if (page->oldest_left) oldest_left_ = std::min(*page->oldest_left, oldest_left_.value_or(*page->oldest_left));
    place_ = std::move(page->next);
    return {};
}

void EventArchiver::collect(const store::ArchivablePart& part) {
    if (part.schedule_id == broken_) return;
    auto point = part.after;
    for (const auto& event : part.events) {
        auto previous = point.hash;
        if (const auto broken = model::follow(point, part.schedule_id, event)) {
            broken_ = part.schedule_id;
            observer_.quarantined({.key = model::key_of(part.schedule_id),
                                   .schedule_id = part.schedule_id,
                                   .error = {ErrorCode::corrupt, "its audit chain is broken and is not archived: " +
                                                                     broken->problem + "; run belfry audit verify"},
                                   .worker = std::string(name()),
                                   .subject = "audit chain of " + part.schedule_id});
            break;
        }
        const auto line = model::archive_line({part.tenant, part.schedule_id, std::move(previous), event}) + "\n";
        lines_[floor<days>(event.recorded_at)] += line;
        collected_ += line.size();
    }
    const auto count = static_cast<std::size_t>(point.sequence - part.after.sequence);
    if (count > 0) collected_to_.push_back({{part.schedule_id, std::move(point)}, count});
}

Result<void> EventArchiver::write_files() {
    for (const auto& [day, lines] : lines_) {
        const auto written = write_archive(options_.folder, day, lines);
        if (!written) return written.error();
    }
    lines_.clear();
    collected_ = 0;
    written_to_ = std::move(collected_to_);
    collected_to_.clear();
    std::ranges::reverse(written_to_);
    return {};
}

// One transaction removes at most `batch` events, and one part of each chain.
Result<void> EventArchiver::remove_some() {
    std::vector<store::ArchivedUpTo> some;
    std::size_t events = 0;
    while (!written_to_.empty()) {
        auto& [to, count] = written_to_.back();
        if (!some.empty() && (events + count > options_.batch || to.schedule_id == some.back().schedule_id)) break;
        events += count;
        some.push_back(std::move(to));
        written_to_.pop_back();
    }
    const auto removed = store_.remove_archived(some);
    if (!removed) return removed.error();
    return {};
}

}  // namespace belfry::engine
