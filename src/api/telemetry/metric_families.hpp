// Writes metrics in the text format of Prometheus (0.0.4). Families keep the order in which they were begun; a family
// without a sample is omitted.
//
//   MetricFamilies families;
//   families.counter("belfry_runs_emitted_total", "Runs that were dispatched.").add(7);
//   families.text();
#pragma once

#include <prometheus/metric_family.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/metrics.hpp"

namespace belfry::api {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class MetricFamily {
public:
    explicit MetricFamily(prometheus::MetricFamily& family) : family_(family) {}

    // Accepts numbers of any type. Labels appear as given.
    template <typename Number>
    void add(Number value, const MetricLabels& labels = {}) {
        add_number(static_cast<double>(value), labels);
    }
    // In seconds.
    void add(const HistogramReading& reading, const MetricLabels& labels = {});

private:
    void add_number(double value, const MetricLabels& labels);
    prometheus::ClientMetric& sample(const MetricLabels& labels);

    prometheus::MetricFamily& family_;
};

class MetricFamilies {
public:
    MetricFamily counter(std::string name, std::string help) {
        return begin(std::move(name), std::move(help), prometheus::MetricType::Counter);
    }
    MetricFamily gauge(std::string name, std::string help) {
        return begin(std::move(name), std::move(help), prometheus::MetricType::Gauge);
    }
    MetricFamily histogram(std::string name, std::string help) {
        return begin(std::move(name), std::move(help), prometheus::MetricType::Histogram);
    }

    [[nodiscard]] std::string text() const;

private:
    MetricFamily begin(std::string name, std::string help, prometheus::MetricType type);

    // A deque, because references to a family must stay valid when the next one begins.
    std::deque<prometheus::MetricFamily> families_;
};

}  // namespace belfry::api
