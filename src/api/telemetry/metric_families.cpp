#include "api/telemetry/metric_families.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace belfry::api {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double seconds(Micros time) { return std::chrono::duration<double>(time).count(); }

std::string number_text(double value) {
    if (std::isnan(value)) return "Nan";
    if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
    std::array<char, 32> buffer{};
    const auto written = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::general,
                                       std::numeric_limits<double>::max_digits10 - 1);
    return {buffer.begin(), written.ptr};
}

std::string escaped(std::string_view value) {
    std::string text;
    for (const char each : value) {
        if (each == '\\' || each == '"' || each == '\n') text += '\\';
        text += each == '\n' ? 'n' : each;
    }
    return text;
}

std::string labels_text(const MetricLabels& labels) {
    std::string text;
    for (const auto& [name, value] : labels) {
        text.append(text.empty() ? "{" : ",").append(name).append("=\"").append(escaped(value)).append("\"");
    }
    return text.empty() ? text : text + "}";
}

}  // namespace

void MetricFamily::add_number(std::string_view suffix, double value, const MetricLabels& labels) {
    text_.samples.append(text_.name).append(suffix).append(labels_text(labels)).append(" ");
    text_.samples.append(number_text(value)).append("\n");
}

void MetricFamily::add(const HistogramReading& reading, const MetricLabels& labels) {
    add_number("_count", static_cast<double>(reading.count), labels);
    add_number("_sum", seconds(reading.sum), labels);
    auto bucket = labels;
    auto& bound = bucket.emplace_back("le", "").second;
    for (std::size_t i = 0; i < reading.bounds.size(); ++i) {
        bound = number_text(seconds(reading.bounds[i]));
        add_number("_bucket", static_cast<double>(reading.at_most[i]), bucket);
    }
    bound = number_text(kInfinity);
    add_number("_bucket", static_cast<double>(reading.count), bucket);
}

MetricFamily MetricFamilies::begin(std::string name, std::string_view help, std::string_view type) {
    auto& family = families_.emplace_back();
    family.head.append("# HELP ").append(name).append(" ").append(help).append("\n");
    family.head.append("# TYPE ").append(name).append(" ").append(type).append("\n");
    family.name = std::move(name);
    return MetricFamily(family);
}

std::string MetricFamilies::text() const {
    std::string text;
    for (const auto& family : families_) {
        if (!family.samples.empty()) text.append(family.head).append(family.samples);
    }
    return text;
}

}  // namespace belfry::api
