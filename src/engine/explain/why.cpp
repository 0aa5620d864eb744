#include "engine/explain/why.hpp"

#include <algorithm>

#include "engine/usecases/no_op_plan.hpp"

namespace belfry::engine {

namespace {

using store::EventRecord;

constexpr std::size_t kEventsAtOnce = 200;

// The audit of one schedule. Its events are numbered without gaps in the order of time, so a binary search finds a
// moment.
class History {
public:
    // `oldest` is the first event that the store keeps.
    History(store::StoreReader& store, store::ScheduleRef ref, std::int64_t oldest, std::int64_t newest)
        : store_(store), ref_(std::move(ref)), oldest_(oldest), newest_(newest) {}

    // The number of the first event recorded at `instant` or later; one more than the newest if there is none.
    Result<std::int64_t> first_from(Instant instant) {
        std::int64_t low = oldest_;
        std::int64_t high = newest_ + 1;
        while (low < high) {
            const auto middle = low + (high - low) / 2;
            const auto event = store_.events(ref_, middle - 1, 1);
            if (!event) return event.error();
            if (event->empty()) return middle;
            if (event->front().event.recorded_at >= instant) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    // Passes events from that number on to `enough`, until it returns true or kWhyEventsMax events were read.
    template <typename Enough>
    std::optional<Error> forward(std::int64_t number, const Enough& enough) {
        for (std::size_t read = 0; read < kWhyEventsMax && number <= newest_;) {
            const auto page = store_.events(ref_, number - 1, kEventsAtOnce);
            if (!page) return page.error();
            for (const auto& record : *page) {
                if (enough(record)) return std::nullopt;
            }
            if (page->empty()) return std::nullopt;
            read += page->size();
            number = page->back().event.sequence + 1;
        }
        return std::nullopt;
    }

    // The same for the events before that number, newest first.
    template <typename Enough>
    std::optional<Error> backward(std::int64_t number, const Enough& enough) {
        for (std::size_t read = 0; read < kWhyEventsMax && number > oldest_;) {
            const auto first = std::max(oldest_, number - static_cast<std::int64_t>(kEventsAtOnce));
            const auto page = store_.events(ref_, first - 1, static_cast<std::size_t>(number - first));
            if (!page) return page.error();
            for (auto record = page->rbegin(); record != page->rend(); ++record) {
                if (enough(*record)) return std::nullopt;
            }
            read += static_cast<std::size_t>(number - first);
            number = first;
        }
        return std::nullopt;
    }

private:
    store::StoreReader& store_;
    store::ScheduleRef ref_;
    std::int64_t oldest_;
    std::int64_t newest_;
};

class Search {
public:
    Search(store::Store& store, const spec::ZoneDatabase& zones, store::ScheduleRef ref, Instant at)
        : store_(store), zones_(zones), ref_(std::move(ref)) {
        answer_.at = std::chrono::floor<Seconds>(at);
    }

    Result<WhyAnswer> run() {
        if (auto error = look()) return *error;
        if (auto error = find_runs()) return *error;
        const auto chain = store_.audit_chain(ref_, 0, 0);
        if (!chain) return chain.error();
        History history(store_, ref_, chain->archived.sequence + 1, facts_.state.events);
        if (auto error = find_events(history)) return *error;
        if (answer_.at <= answer_.now) {
            if (auto error = find_status(history)) return *error;
        } else {
            find_row();
        }
        std::vector<model::Event> events;
        for (const auto& record : answer_.events) events.push_back(record.event);
        decide::WhyQuestion question{.facts = facts_, .zones = zones_, .at = answer_.at, .now = answer_.now};
        if (!answer_.runs.empty()) {
            question.run = answer_.runs.front();
            const auto approvals = store_.approvals_of(ref_.tenant, {&question.run->id, 1});
            if (!approvals) return approvals.error();
            question.approvals = *approvals;
        }
        question.events = events;
        question.then = then_;
        question.row = row_;
        answer_.why = decide::answer_why(question);
        return std::move(answer_);
    }

private:
    std::optional<Error> look() {
        const auto now = store_.now();
        if (!now) return now.error();
        answer_.now = *now;
        // By id from here on, because the schedule may be renamed meanwhile.
        const auto record = store_.schedule(ref_);
        if (!record) return record.error();
        ref_ = {ref_.tenant, record->definition.id};
        const auto looked = store_.change(ref_, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
            facts_ = facts;
            return no_op_plan(facts);
        });
        if (!looked) return looked.error();
        answer_.schedule = facts_.schedule->definition;
        return std::nullopt;
    }

    std::optional<Error> find_runs() {
        const bool whole_minute = std::chrono::floor<std::chrono::minutes>(answer_.at) == answer_.at;
        const auto end = answer_.at + (whole_minute ? Seconds{60} : Seconds{1}) - Micros{1};
        store::RunFilter filter{.tenant = ref_.tenant};
        filter.schedule_id = ref_.id;
        filter.from = answer_.at;
        filter.to = end;
        const auto same = store_.runs(filter, {.limit = kWhyRunsMax});
        if (!same) return same.error();
        for (const auto& run : same->items) {
            // Triggers and events are their own occurrences.
            const bool own = run.slot.cause == model::RunCause::trigger || run.slot.cause == model::RunCause::event;
            if (own || run.slot.occurrence == answer_.at) answer_.runs.push_back(run);
        }
        // The schedule's own outcome first, then the runs that a client requested.
        std::ranges::stable_sort(answer_.runs, {}, [](const model::Run& run) { return run.slot; });
        if (!answer_.runs.empty() && answer_.runs.front().slot.cause == model::RunCause::tick) return std::nullopt;
        return find_record_of_many();
    }

    // A record of many skipped occurrences has the time of its first. Rows of other causes may lie between that and
    // the moment, but hardly another record of many.
    std::optional<Error> find_record_of_many() {
        store::RunFilter filter{.tenant = ref_.tenant};
        filter.schedule_id = ref_.id;
        filter.state = store::RunState::skipped;
        filter.to = answer_.at;
        const auto before = store_.runs(filter, {.limit = store::kPageMax});
        if (!before) return before.error();
        const auto covers = [this](const model::Run& run) {
            return run.range && run.slot.occurrence <= answer_.at && answer_.at <= run.range->last;
        };
        const auto found = std::ranges::find_if(before->items, covers);
        const auto& spec = facts_.schedule->spec;
        if (found == before->items.end() || spec.next(answer_.at - Micros{1}) != answer_.at) return std::nullopt;
        answer_.runs.insert(answer_.runs.begin(), *found);
        return std::nullopt;
    }

    std::optional<Error> find_events(History& history) {
        auto from = answer_.at;
        auto slot = answer_.at;
        if (!answer_.runs.empty()) {
            slot = answer_.runs.front().slot.occurrence;
            from = std::min(slot, answer_.runs.front().decided_at);
        } else if (facts_.schedule->spec.next(answer_.at - Micros{1}) == answer_.at) {
            from = std::min(from, facts_.schedule->spec.fire_time(ref_.id, answer_.at));
        }
        if (from > answer_.now) return std::nullopt;
        const auto first = history.first_from(from);
        if (!first) return first.error();
        return history.forward(*first, [&](const EventRecord& record) {
            if (decide::tells_about(record.event, slot)) answer_.events.push_back(record);
            return false;
        });
    }

    // The schedule's status and times just before the moment.
    std::optional<Error> find_status(History& history) {
        const auto end = history.first_from(answer_.at);
        if (!end) return end.error();
        const bool same_spec = answer_.schedule.version == 1 || answer_.schedule.updated_at <= answer_.at;
        std::optional<spec::SpecText> spec;
        const auto error = history.backward(*end, [&](const EventRecord& record) {
            if (!then_) then_ = decide::status_told_by(record.event);
            if (!same_spec && !spec) spec = decide::spec_told_by(record.event);
            return then_ && (same_spec || spec);
        });
        if (error) return error;
        if (spec && !(*spec == answer_.schedule.spec)) {
            if (!then_) then_.emplace();
            then_->spec = std::move(spec);
        }
        return std::nullopt;
    }

    // Row by row from now on, because rotation and maxRuns advance with every row.
    void find_row() {
        const auto& spec = facts_.schedule->spec;
        if (spec.next(answer_.at - Micros{1}) != answer_.at) return;
        const auto count = spec.between(answer_.now + Micros{1}, answer_.at, decide::kPreviewRowsMax).size();
        auto rows =
            decide::preview(facts_, answer_.now,
                            decide::PreviewPage{.rows = count, .before = count - std::min<std::size_t>(count, 1)})
                .rows;
        if (!rows.empty() && rows.back().occurrence == answer_.at) {
            row_ = std::move(rows.back());
        } else if (rows.size() == decide::kPreviewRowsMax) {
            // Too far in the future to count: judged as if it were the next occurrence.
            rows = decide::preview(facts_, answer_.at - Micros{1}, 1);
            if (!rows.empty()) row_ = std::move(rows.front());
        }
    }

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    store::ScheduleRef ref_;
    decide::Facts facts_;
    std::optional<decide::ScheduleThen> then_;
    std::optional<decide::PreviewRow> row_;
    WhyAnswer answer_;
};

}  // namespace

Result<WhyAnswer> why(store::Store& store, const spec::ZoneDatabase& zones, const store::ScheduleRef& ref, Instant at) {
    return Search(store, zones, ref, at).run();
}

}  // namespace belfry::engine
