#include "api/resources/schedules/schedule_texts.hpp"

#include <gtest/gtest.h>

#include "api/handlers.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

constexpr const char* kSmall = R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})";
constexpr const char* kRich = R"({
    "name": "a \"name\" with ümlauts \\ and\nlines", "description": "what", "labels": {"team": "billing"},
    "memo": {"a": [1, 2.5, 1e300]},
    "spec": {"cron": ["0 2 * * *", "0 4 * * *"], "timezone": "America/New_York"},
    "target": {"type": "task", "taskKind": "t", "input": {"n": 1}}, "inputsRotation": [1, 2, 3]})";

store::ScheduleRecord record_of(const char* body, const std::string& id) {
    auto schedule = read_new_schedule(test::json(body), "default");
    EXPECT_TRUE(schedule) << schedule.error().message;
    store::ScheduleRecord record{.definition = schedule ? *schedule : model::Schedule{}, .state = {}};
    record.definition.id = id;
    record.definition.version = 1;
    record.definition.created_at = record.definition.updated_at = test::instant("2026-01-12T14:00:00Z");
    return record;
}

std::string plain(const store::ScheduleRecord& record, const std::optional<Json>& last_result) {
    return to_text(to_json(record, test::zones(), last_result));
}

}  // namespace

TEST(ScheduleTexts, AreWhatThePlainWriterWritesToTheByte) {
    ScheduleTexts texts(test::zones());
    for (const auto* body : {kSmall, kRich}) {
        auto record = record_of(body, body == kSmall ? "s1" : "s2");
        for (int i = 0; i < 2; ++i) {  // written anew, then from memory
            EXPECT_EQ(texts.text(record, Json(nullptr)), plain(record, Json(nullptr)));
            EXPECT_EQ(texts.text(record, std::nullopt), plain(record, std::nullopt));
            EXPECT_EQ(texts.text(record, test::json(R"({"rows": [1, "two"]})")),
                      plain(record, test::json(R"({"rows": [1, "two"]})")));
        }
    }
}

TEST(ScheduleTexts, WhatCannotBeReadIsNotKept) {
    ScheduleTexts texts(test::zones());
    auto damaged = record_of(kSmall, "s1");
    damaged.definition.description = "unknown";
    damaged.unreadable = "no JSON";
    EXPECT_EQ(texts.text(damaged, std::nullopt), plain(damaged, std::nullopt));
    const auto repaired = record_of(kSmall, "s1");
    EXPECT_EQ(texts.text(repaired, std::nullopt), plain(repaired, std::nullopt));
}

TEST(ScheduleTexts, TheStateIsThatOfEachRecord) {
    ScheduleTexts texts(test::zones());
    auto record = record_of(kRich, "s1");
    const auto before = texts.text(record, std::nullopt);
    const auto t = [](int minute) { return test::instant("2026-01-12T14:00:00Z") + std::chrono::minutes{minute}; };
    record.state.next_occurrence = t(0);
    record.state.next_fire = t(1);
    record.state.last_fired_at = t(2);
    record.state.last_skipped_at = t(3);
    record.state.last_skip_reason = "calendar \"x\"";
    record.state.runs = 11;
    record.state.rotation_index = 5;
    record.state.remaining_actions = 16;
    EXPECT_EQ(texts.text(record, std::nullopt), plain(record, std::nullopt));
    record.state.status = model::ScheduleStatus::paused;
    record.state.pause_reason = "holiday";
    EXPECT_EQ(texts.text(record, std::nullopt), plain(record, std::nullopt));
    EXPECT_NE(texts.text(record, std::nullopt), before);
}

TEST(ScheduleTexts, AnotherVersionIsNeverAnsweredFromThatBefore) {
    ScheduleTexts texts(test::zones());
    auto record = record_of(kSmall, "s1");
    const auto before = texts.text(record, std::nullopt);
    record.definition.description = "changed";
    record.definition.version = 2;
    EXPECT_EQ(texts.text(record, std::nullopt), plain(record, std::nullopt));
    EXPECT_NE(texts.text(record, std::nullopt), before);
    // An id that begins like another is another one.
    auto other = record_of(kRich, "s");
    other.definition.version = 12;
    EXPECT_EQ(texts.text(other, std::nullopt), plain(other, std::nullopt));
}

TEST(ScheduleTexts, APageIsTheListOfItsItems) {
    ScheduleTexts texts(test::zones());
    store::Listing<store::ScheduleRecord> listing;
    EXPECT_EQ(texts.page(listing), to_text(page_json({}, "")));
    listing.items = {record_of(kSmall, "s1"), record_of(kRich, "s2")};
    listing.next = "name \"x\"";
    boost::json::array items;
    for (const auto& record : listing.items) items.push_back(to_json(record, test::zones(), {}));
    EXPECT_EQ(texts.page(listing), to_text(page_json(std::move(items), listing.next)));
}

}  // namespace belfry::api
