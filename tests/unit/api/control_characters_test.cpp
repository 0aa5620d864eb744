// Names with characters that deceive a terminal or a reader: refused where they are given, and readable where they are
// stored.
#include <gtest/gtest.h>

#include "api/http/percent.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

using test::ApiWorld;
using test::at;

const std::string kTenant = "/api/tenants/default";
const std::string kDeceptive = "pay\u202Eroll";

}  // namespace

TEST(ControlCharacters, AreRefusedInNamesWithTheFieldAndTheCodePoint) {
    const ApiWorld world;
    struct Row {
        std::string method;
        std::string path;
        std::string body;  // BAD stands for the name
        std::string pointer;
    };
    const std::string spec = R"("spec": {"cron": ["0 9 * * *"]})";
    const std::string task = R"("target": {"taskKind": "t"})";
    const Row rows[] = {
        {"POST", "/schedules", "{\"name\": \"BAD\", " + spec + ", " + task + "}", "/name"},
        {"POST", "/schedules", "{\"name\": \"n\", " + spec + R"(, "target": {"workflowKind": "BAD"}})",
         "/target/workflowKind"},
        {"POST", "/schedules", "{\"name\": \"n\", " + spec + R"(, "target": {"taskKind": "BAD"}})", "/target/taskKind"},
        {"POST", "/schedules", "{\"name\": \"n\", " + spec + R"(, "target": {"taskKind": "t", "queue": "BAD"}})",
         "/target/queue"},
        {"POST", "/schedules", "{\"name\": \"n\", " + spec + ", " + task + R"(, "labels": {"team": "BAD"}})",
         "/labels/team"},
        {"POST", "/schedules", "{\"name\": \"n\", " + spec + ", " + task + R"(, "labels": {"BAD": "x"}})",
         "/labels/BAD"},
        {"POST", "/schedules",
         "{\"name\": \"n\", " + spec + ", " + task + R"(, "assignee": {"type": "team", "id": "BAD"}})", "/assignee/id"},
        {"POST", "/calendars", R"({"name": "BAD", "dates": ["2030-01-01"]})", "/name"},
        {"PUT", "/assignees/a", R"({"type": "agent", "displayName": "BAD"})", "/displayName"},
        {"PUT", "/assignees/PATH", R"({"type": "agent"})", "/id"},
        {"PUT", "/workflows/PATH", R"({"nodes": [{"id": "a"}]})", "/name"},
        {"PUT", "/workflows/w", R"({"nodes": [{"id": "a", "taskKind": "BAD"}]})", "/nodes/0/taskKind"},
        {"POST", "/tasks/claim", R"({"worker": "BAD"})", "/worker"},
    };
    const auto filled = [](std::string text, const std::string& name) {
        for (const auto& [mark, value] :
             {std::pair<std::string, std::string>{"BAD", name}, {"PATH", percent_encode(name)}}) {
            if (const auto found = text.find(mark); found != std::string::npos) text.replace(found, mark.size(), value);
        }
        return text;
    };
    const std::pair<std::string, std::string> names[] = {{kDeceptive, "control character U+202E"},
                                                         {"a\u009Bb", "control character U+009B"},
                                                         {"a\u200Bb", "invisible character U+200B"},
                                                         {"a\u3164", "invisible character U+3164"},
                                                         {"a\U000E0041", "invisible character U+E0041"}};
    for (const auto& row : rows) {
        for (const auto& [name, found] : names) {
            const auto answer = world.call(row.method, kTenant + filled(row.path, name), filled(row.body, name));
            EXPECT_EQ(answer.status, 422) << row.path << row.body << answer.body;
            EXPECT_NE(at(answer, "/errors").find("must not contain the " + found), std::string::npos) << answer.body;
            EXPECT_EQ(at(answer, "/errors/0/pointer"), to_text(Json(filled(row.pointer, name)))) << answer.body;
        }
    }
}

TEST(ControlCharacters, ANameThatWasStoredBeforeCanBeReadPausedAndDeleted) {
    ApiWorld world;
    auto stored = test::definition([](model::Schedule& schedule) { schedule.labels = {{kDeceptive, kDeceptive}}; });
    stored.name = kDeceptive;
    stored.target.queue = kDeceptive;
    ASSERT_TRUE(world.engine.schedules().create(stored, {}));
    const auto path = kTenant + "/schedules/" + percent_encode(kDeceptive);
    EXPECT_EQ(at(world.get(path), "/name"), to_text(Json(kDeceptive)));
    EXPECT_EQ(at(world.get(kTenant + "/schedules"), "/items/0/labels"), to_text(Json{{kDeceptive, kDeceptive}}));
    EXPECT_EQ(world.call("POST", path + "/pause").status, 200);
    EXPECT_EQ(world.call("DELETE", path).status / 100, 2);
}

}  // namespace belfry::api
