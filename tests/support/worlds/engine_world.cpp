#include "support/worlds/engine_world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "store/memory/memory_store.hpp"

namespace belfry::test {

namespace {

std::shared_ptr<store::Store> in_memory(const Clock& clock) {
    return std::make_shared<store::MemoryStore>(zones(), &clock);
}

constexpr int kStepsMax = 1'000'000;  // a ticker that never wants to wait would hang the test

}  // namespace

void Journal::decided(const model::Schedule&, const decide::Plan&, Instant) { ++plans; }

EngineWorld::EngineWorld(const std::string& now, engine::TickerOptions options)
    : EngineWorld(now, &in_memory, options) {}

EngineWorld::EngineWorld(const std::string& now, const std::function<std::shared_ptr<store::Store>(const Clock&)>& open,
                         engine::TickerOptions options)
    : clock(instant(now)),
      steady(clock),
      store(open(clock)),
      ids([this] { return ++random_ * 0x9e3779b97f4a7c15; }),
      schedules(*store, zones(), journal, ids, {Seconds{1}, options.limits}),
      runs(*store, journal),
      backfills(*store, journal, ids),
      ticker(*store, steady, journal, options, [] { return std::uint64_t{0}; }) {
    store->listen([this](const store::Notification& notification) { ticker.on_notification(notification); });
}

store::ScheduleRecord EngineWorld::create(const Edit& edit) {
    auto created = schedules.create(definition(edit), {});
    if (!created) {
        std::fprintf(stderr, "cannot create the schedule: %s\n", created.error().message.c_str());
        std::abort();
    }
    return *created;
}

int EngineWorld::settle() {
    for (int steps = 1; steps < kStepsMax; ++steps) {
        if (ticker.step() > Micros{0}) return steps;
    }
    ADD_FAILURE() << "the ticker never wants to wait";
    return kStepsMax;
}

void EngineWorld::play(const std::string& until) {
    const auto end = instant(until);
    for (int steps = 0; steps < kStepsMax; ++steps) {
        const auto wait = ticker.step();
        if (wait == Micros{0}) continue;
        if (clock.now() + wait > end) break;
        clock.pass(wait);
    }
    clock.set(end);
    settle();
}

Lines EngineWorld::runs_of(const std::string& name, const std::string& tenant) {
    const auto record = store->schedule({.tenant = tenant, .name = name});
    Lines lines;
    if (!record) return {record.error().message};
    store::RunFilter filter{.tenant = tenant};
    filter.schedule_id = record->definition.id;
    std::string after;
    do {
        const auto page = store->runs(filter, {after, store::kPageMax});
        if (!page) return {page.error().message};
        for (const auto& run : page->items) {
            auto line = std::string(name_of(run.slot.cause)) + " " + format_instant(run.slot.occurrence) + " " +
                        std::string(name_of(run.dispatch));
            if (run.reason) line += " " + std::string(name_of(*run.reason));
            if (run.range)
                line += " x" + std::string(run.range->at_least ? "≥" : "") + std::to_string(run.range->count);
            lines.push_back(std::move(line));
        }
        after = page->next;
    } while (!after.empty());
    std::ranges::reverse(lines);
    return lines;
}

}  // namespace belfry::test
