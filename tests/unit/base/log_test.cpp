#include "base/log.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <thread>

#include "base/text/json.hpp"

namespace belfry {
namespace {

// The lines without their times, which are checked for their form.
std::vector<std::string> lines_of(const std::ostringstream& stream) {
    static const std::regex kTime(R"(^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z )");
    std::vector<std::string> lines;
    std::istringstream read(stream.str());
    for (std::string line; std::getline(read, line);) {
        EXPECT_TRUE(std::regex_search(line, kTime)) << line;
        lines.push_back(std::regex_replace(line, kTime, ""));
    }
    return lines;
}

TEST(Log, WritesALineForPeopleWithTheFieldsInTheirOrder) {
    std::ostringstream stream;
    const Log log(stream, LogLevel::info, LogFormat::text);
    log.info("run dispatched",
             {{"schedule", "nightly"}, {"reason", "two words"}, {"lag_ms", 12}, {"late", true}, {"share", 0.5}});
    log.warn("bare");
    log.error("text with = and \"quotes\"", {{"value", "a=b"}, {"quoted", "say \"hi\""}});
    EXPECT_EQ(lines_of(stream),
              (std::vector<std::string>{
                  "info  run dispatched schedule=nightly reason=\"two words\" lag_ms=12 late=true share=0.5",
                  "warn  bare",
                  R"(error text with = and "quotes" value="a=b" quoted="say \"hi\"")",
              }));
}

TEST(Log, LeavesOutAFieldThatSaysNothing) {
    std::ostringstream stream;
    const Log log(stream, LogLevel::info, LogFormat::text);
    log.info("skipped", {{"reason", ""}, {"count", 0}});
    EXPECT_EQ(lines_of(stream), (std::vector<std::string>{"info  skipped count=0"}));
}

TEST(Log, ALineStaysOneLineWhateverItSays) {
    std::ostringstream stream;
    const Log log(stream, LogLevel::info, LogFormat::text);
    log.info("first\nsecond", {{"name", "a\nb\x1b[31m"}, {"format", "%v {} %n"}});
    EXPECT_EQ(lines_of(stream),
              (std::vector<std::string>{R"(info  first\x0asecond name=a\x0ab\x1b[31m format="%v {} %n")"}));
}

TEST(Log, WritesOneJsonObjectPerLineForPrograms) {
    std::ostringstream stream;
    const Log log(stream, LogLevel::info, LogFormat::json);
    log.info("run \"dispatched\"\n{}",
             {{"schedule", "two words"}, {"lag_ms", -3}, {"late", false}, {"broken", "\xff"}});
    const auto line = parse_json(stream.str()).value();
    EXPECT_EQ(line.at("level"), "info");
    EXPECT_EQ(line.at("message"), "run \"dispatched\"\n{}");
    EXPECT_EQ(line.at("schedule"), "two words");
    EXPECT_EQ(line.at("lag_ms"), -3);
    EXPECT_EQ(line.at("late"), false);
    EXPECT_EQ(line.at("broken"), "\xEF\xBF\xBD");
    EXPECT_EQ(line.at("time").as_string().back(), 'Z');
}

TEST(Log, WritesOnlyWhatItsLevelAsksForAndTheLevelCanChange) {
    std::ostringstream stream;
    Log log(stream, LogLevel::warn, LogFormat::text);
    EXPECT_FALSE(log.writes(LogLevel::info));
    log.info("not yet");
    log.set(LogLevel::debug);
    EXPECT_TRUE(log.writes(LogLevel::debug));
    log.debug("now");
    EXPECT_EQ(lines_of(stream), (std::vector<std::string>{"debug now"}));
}

TEST(Log, TheFormatCanChange) {
    std::ostringstream stream;
    Log log(stream, LogLevel::info, LogFormat::text);
    log.set(LogFormat::json);
    log.info("as JSON");
    EXPECT_TRUE(parse_json(stream.str()));
}

TEST(Log, LinesOfSeveralThreadsAreNotMixed) {
    std::ostringstream stream;
    const Log log(stream, LogLevel::info, LogFormat::text);
    constexpr int kLines = 200;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&log] {
                for (int i = 0; i < kLines; ++i) log.info("the same", {{"key", "value"}});
            });
        }
    }
    EXPECT_EQ(lines_of(stream), std::vector<std::string>(4 * kLines, "info  the same key=value"));
}

TEST(Log, LevelsAndFormatsHaveNames) {
    EXPECT_EQ(parse_log_level("warning").value(), LogLevel::warn);
    EXPECT_EQ(name_of(LogLevel::warn), "warn");
    EXPECT_EQ(parse_log_level("loud").error().message, "log level \"loud\": use one of debug, info, warn, error");
    EXPECT_EQ(parse_log_format("xml").error().message, "log format \"xml\": use one of text, json");
}

}  // namespace
}  // namespace belfry
