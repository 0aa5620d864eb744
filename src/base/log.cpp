#include "base/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>

#include "base/text/ascii.hpp"
#include "base/text/enum_names.hpp"
#include "base/text/json.hpp"

namespace belfry {

namespace {

constexpr std::array kLevelNames{EnumName{LogLevel::debug, "debug"}, EnumName{LogLevel::info, "info"},
                                 EnumName{LogLevel::warn, "warn"}, EnumName{LogLevel::warn, "warning"},
                                 EnumName{LogLevel::error, "error"}};
constexpr std::array kFormatNames{EnumName{LogFormat::text, "text"}, EnumName{LogFormat::json, "json"}};

// spdlog adds the time and keeps lines whole; this file formats the rest.
constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})";

constexpr std::size_t kLevelWidth = 5;

Json json_of(const LogValue& value) {
    if (const auto* const text = std::get_if<std::string_view>(&value.value())) return Json(storable(*text));
    if (const auto* const number = std::get_if<std::int64_t>(&value.value())) return Json(*number);
    if (const auto* const number = std::get_if<double>(&value.value())) return Json(*number);
    return Json(std::get<bool>(value.value()));
}

// Without quotes if the text is unambiguous, otherwise in quotes.
std::string text_of(const LogValue& value) {
    const auto* const text = std::get_if<std::string_view>(&value.value());
    if (text == nullptr) return to_text(json_of(value));
    auto shown = visible(*text);
    if (shown.find_first_of(" \"=") == std::string::npos) return shown;
    return to_text(Json(shown));
}

bool is_left_out(const LogField& field) {
    const auto* const text = std::get_if<std::string_view>(&field.value.value());
    return text != nullptr && text->empty();
}

std::string text_line(LogLevel level, std::string_view message, Log::Fields fields) {
    auto line = std::string(name_of(level));
    line.resize(kLevelWidth + 1, ' ');
    line += visible(message);
    for (const auto& field : fields) {
        if (!is_left_out(field)) line.append(" ").append(field.name).append("=").append(text_of(field.value));
    }
    return line;
}

// Without the braces, which the pattern adds.
std::string json_line(LogLevel level, std::string_view message, Log::Fields fields) {
    auto line = R"("level":")" + std::string(name_of(level)) + R"(","message":)" + to_text(Json(storable(message)));
    for (const auto& field : fields) {
        if (!is_left_out(field))
            line.append(",\"").append(field.name).append("\":").append(to_text(json_of(field.value)));
    }
    return visible(line);
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warn: return spdlog::level::warn;
        case LogLevel::error: break;
    }
    return spdlog::level::err;
}

std::unique_ptr<spdlog::logger> make_logger(spdlog::sink_ptr sink, const char* pattern) {
    auto logger = std::make_unique<spdlog::logger>("belfry", std::move(sink));
    logger->set_pattern(pattern, spdlog::pattern_time_type::utc);
    logger->set_level(spdlog::level::trace);        // the Log filters before it formats a line
    logger->flush_on(spdlog::level::trace);         // a buffered line would be lost if the process dies
    logger->set_error_handler([](const auto&) {});  // a failure to log must not stop the program
    return logger;
}

}  // namespace

// One logger per format, so that a format change never affects a line in progress.
struct Log::Outputs {
    std::unique_ptr<spdlog::logger> text;
    std::unique_ptr<spdlog::logger> json;
};

Log::Log(LogLevel level, LogFormat format)
    : level_(level),
      format_(format),
      outputs_(std::make_unique<Outputs>(
          Outputs{make_logger(std::make_shared<spdlog::sinks::stderr_sink_mt>(), kTextPattern),
                  make_logger(std::make_shared<spdlog::sinks::stderr_sink_mt>(), kJsonPattern)})) {}

Log::Log(std::ostream& stream, LogLevel level, LogFormat format)
    : level_(level),
      format_(format),
      outputs_(std::make_unique<Outputs>(
          Outputs{make_logger(std::make_shared<spdlog::sinks::ostream_sink_mt>(stream), kTextPattern),
                  make_logger(std::make_shared<spdlog::sinks::ostream_sink_mt>(stream), kJsonPattern)})) {}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, Fields fields) const {
    if (!writes(level)) return;
    if (format_ == LogFormat::json) {
        outputs_->json->log(spdlog_level(level), spdlog::string_view_t(json_line(level, message, fields)));
    } else {
        outputs_->text->log(spdlog_level(level), spdlog::string_view_t(text_line(level, message, fields)));
    }
}

std::string_view name_of(LogLevel level) { return canonical_name<LogLevel>(kLevelNames, level); }
std::string_view name_of(LogFormat format) { return canonical_name<LogFormat>(kFormatNames, format); }
Result<LogLevel> parse_log_level(std::string_view text) { return parse_name<LogLevel>(kLevelNames, "log level", text); }
Result<LogFormat> parse_log_format(std::string_view text) {
    return parse_name<LogFormat>(kFormatNames, "log format", text);
}

}  // namespace belfry
