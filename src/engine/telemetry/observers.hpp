// Several observers as one: each gets every event, in the order of the list. As thread-safe as they are.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "engine/telemetry/observer.hpp"

namespace belfry::engine {

class Observers final : public Observer {
public:
    // REQUIRES: they outlive it.
    Observers(std::initializer_list<std::reference_wrapper<Observer>> observers) : observers_(observers) {}

    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override {
        for (Observer& each : observers_) each.decided(schedule, plan, at);
    }
    void ticked(const TickReport& report) override {
        for (Observer& each : observers_) each.ticked(report);
    }
    void claimed(const model::Task& task, Instant at) override {
        for (Observer& each : observers_) each.claimed(task, at);
    }
    void backfilled(const std::string& tenant, const model::Backfill& backfill) override {
        for (Observer& each : observers_) each.backfilled(tenant, backfill);
    }
    void reaped(const std::string& run_id, const std::string& worker) override {
        for (Observer& each : observers_) each.reaped(run_id, worker);
    }
    void pruned(std::int64_t runs) override {
        for (Observer& each : observers_) each.pruned(runs);
    }
    void removed(std::int64_t schedules) override {
        for (Observer& each : observers_) each.removed(schedules);
    }
    void delivered(const std::string& tenant, const model::Delivery& delivery) override {
        for (Observer& each : observers_) each.delivered(tenant, delivery);
    }
    void quarantined(const Quarantined& schedule) override {
        for (Observer& each : observers_) each.quarantined(schedule);
    }
    void released(const Quarantined& schedule) override {
        for (Observer& each : observers_) each.released(schedule);
    }
    void failed(std::string_view worker, const Error& error, Micros wait) override {
        for (Observer& each : observers_) each.failed(worker, error, wait);
    }
    void recovered(std::string_view worker) override {
        for (Observer& each : observers_) each.recovered(worker);
    }
    void leads(bool leading, std::int64_t term) override {
        for (Observer& each : observers_) each.leads(leading, term);
    }
    void shares(std::size_t servers) override {
        for (Observer& each : observers_) each.shares(servers);
    }
    void clock(const ClockState& state) override {
        for (Observer& each : observers_) each.clock(state);
    }

private:
    std::vector<std::reference_wrapper<Observer>> observers_;
};

}  // namespace belfry::engine
