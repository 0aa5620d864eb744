// Writes metrics in the text format of Prometheus (0.0.4). Families keep the order in which they were begun; a family
// without a sample is omitted.
//
//   MetricFamilies families;
//   families.counter("belfry_runs_emitted_total", "Runs that were dispatched.").add(7);
//   families.text();
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metrics.hpp"

namespace belfry::api {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class MetricFamily {
public:
    struct Text {
        std::string name;
        std::string head;     // the lines HELP and TYPE
        std::string samples;  // one line each
    };
    explicit MetricFamily(Text& text) : text_(text) {}

    // Accepts numbers of any type. Labels appear as given.
    template <typename Number>
    void add(Number value, const MetricLabels& labels = {}) {
        add_number("", static_cast<double>(value), labels);
    }
    // In seconds.
    void add(const HistogramReading& reading, const MetricLabels& labels = {});

private:
    void add_number(std::string_view suffix, double value, const MetricLabels& labels);

    Text& text_;
};

class MetricFamilies {
public:
    MetricFamily counter(std::string name, std::string_view help) { return begin(std::move(name), help, "counter"); }
    MetricFamily gauge(std::string name, std::string_view help) { return begin(std::move(name), help, "gauge"); }
    MetricFamily histogram(std::string name, std::string_view help) {
        return begin(std::move(name), help, "histogram");
    }

    [[nodiscard]] std::string text() const;

private:
    MetricFamily begin(std::string name, std::string_view help, std::string_view type);

    // A deque, because references to a family must stay valid when the next one begins.
    std::deque<MetricFamily::Text> families_;
};

}  // namespace belfry::api
