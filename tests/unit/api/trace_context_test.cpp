#include "api/trace_context.hpp"

#include <gtest/gtest.h>

namespace belfry::api {
namespace {

const std::string kGood = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContext, ReadsTheExampleOfTheRecommendation) {
    EXPECT_EQ(parse_traceparent(kGood), (TraceContext{"4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true}));
    EXPECT_FALSE(parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")->sampled);
    EXPECT_FALSE(parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02")->sampled);
}

TEST(TraceContext, ALaterVersionIsReadAsFarAsItIsKnown) {
    EXPECT_TRUE(parse_traceparent("01" + kGood.substr(2)));
    EXPECT_TRUE(parse_traceparent("cc" + kGood.substr(2) + "-what-the-future-adds"));
    EXPECT_FALSE(parse_traceparent("cc" + kGood.substr(2) + ".what"));
}

TEST(TraceContext, IgnoresWhatIsNotAllowed) {
    for (const auto& text : {
             std::string(),
             kGood.substr(1),
             kGood + "-00",                                                           // version 00 has four parts
             "ff" + kGood.substr(2),                                                  // the version that is none
             std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"),  // upper case
             std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),  // the id that is none
             std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"),
             std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x"),
             std::string("00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
         }) {
        EXPECT_FALSE(parse_traceparent(text)) << text;
    }
}

}  // namespace
}  // namespace belfry::api
