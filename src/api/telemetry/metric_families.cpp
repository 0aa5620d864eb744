#include "api/telemetry/metric_families.hpp"

#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>

namespace belfry::api {

namespace {

double seconds(Micros time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

prometheus::ClientMetric& MetricFamily::sample(const MetricLabels& labels) {
    auto& made = family_.metric.emplace_back();
    for (const auto& [name, value] : labels) made.label.push_back({name, value});
    return made;
}

void MetricFamily::add_number(double value, const MetricLabels& labels) {
    auto& made = sample(labels);
    made.counter.value = made.gauge.value = value;
}

void MetricFamily::add(const HistogramReading& reading, const MetricLabels& labels) {
    auto& histogram = sample(labels).histogram;
    histogram.sample_count = reading.count;
    histogram.sample_sum = seconds(reading.sum);
    for (std::size_t i = 0; i < reading.bounds.size(); ++i)
        histogram.bucket.push_back({reading.at_most[i], seconds(reading.bounds[i])});
    histogram.bucket.push_back({reading.count, std::numeric_limits<double>::infinity()});
}

MetricFamily MetricFamilies::begin(std::string name, std::string help, prometheus::MetricType type) {
    return MetricFamily(families_.emplace_back(prometheus::MetricFamily{std::move(name), std::move(help), type, {}}));
}

std::string MetricFamilies::text() const {
    std::vector<prometheus::MetricFamily> filled;
    for (const auto& family : families_) {
        if (!family.metric.empty()) filled.push_back(family);
    }
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, filled);
    return std::move(out).str();
}

}  // namespace belfry::api
