#include "app/moving/crontab.hpp"

#include <gtest/gtest.h>

#include "app/moving/command_name.hpp"
#include "app/moving/moved_job.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::app {
namespace {

CrontabEntry only(const std::string& text, CrontabForm form = CrontabForm::automatic) {
    const auto crontab = parse_crontab(text, form);
    EXPECT_EQ(crontab.entries.size(), 1U) << text;
    return crontab.entries.empty() ? CrontabEntry{} : crontab.entries.front();
}

TEST(Crontab, SettingsApplyToTheLinesAfterThem) {
    const auto crontab =
        parse_crontab("0 1 * * * a\nCRON_TZ=Asia/Tokyo\nMAILTO=me\nX = \"y z\"\n0 2 * * * b\n", CrontabForm::user);
    ASSERT_EQ(crontab.entries.size(), 2U);
    EXPECT_EQ(crontab.entries[0].timezone, "");
    EXPECT_TRUE(crontab.entries[0].env.empty());
    EXPECT_EQ(crontab.entries[1].timezone, "Asia/Tokyo");
    EXPECT_EQ(crontab.entries[1].mail_to, "me");
    EXPECT_EQ(crontab.entries[1].env, (std::map<std::string, std::string>{{"X", "y z"}}));
}

TEST(Crontab, TheFirstPercentSignEndsTheCommandAndFurtherOnesEndLines) {
    const auto entry = only("0 1 * * * cat%one%two\\%\n");
    EXPECT_EQ(entry.command, "cat");
    EXPECT_EQ(entry.input, "one\ntwo%\n");
    EXPECT_EQ(only("0 1 * * * date +\\%F").command, "date +%F");
}

TEST(Crontab, AUserThatNoCommandIsNamedAfterShowsTheSystemForm) {
    const auto entry = only("17 * * * * root cd / && tidy");
    EXPECT_EQ(entry.user, "root");
    EXPECT_EQ(entry.command, "cd / && tidy");
    EXPECT_EQ(only("17 * * * * root cd /", CrontabForm::user).command, "root cd /") << "the caller knows better";
    EXPECT_EQ(only("17 * * * * ada x", CrontabForm::system).user, "ada");
}

TEST(Crontab, ACommentAboveALineDescribesIt) {
    EXPECT_EQ(only("# Back up\n# the files\n0 1 * * * b").comment, "Back up the files");
    EXPECT_EQ(only("# Elsewhere\n\n0 1 * * * b").comment, "") << "an empty line ends it";
    EXPECT_EQ(only("# m h dom mon dow command\n0 1 * * * b").comment, "") << "a heading";
    EXPECT_EQ(only("#0 1 * * * old\n0 1 * * * b").comment, "") << "a line that is switched off";
}

TEST(Crontab, ALineThatCannotBecomeAScheduleKeepsItsTextAndSaysWhy) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"@reboot x", "@reboot is not a time"}, {"0~30 4 * * * x", "~ chooses a random time"},
        {"@every_minute x", "is unknown"},      {"0 1 * *", "too few fields"},
        {"0 1 * * *", "has no command"},        {"0 1 * * * \xff", "is not UTF-8"},
        {"@daily", "has no command"},
    };
    for (const auto& [line, why] : rows) {
        const auto entry = only(line);
        EXPECT_NE(entry.problem.find(why), std::string::npos) << line << ": " << entry.problem;
        EXPECT_EQ(entry.line, 1U);
        EXPECT_FALSE(entry.text.empty());
    }
}

TEST(CommandName, IsTheWordThatSaysWhatTheCommandDoes) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"/usr/local/bin/backup.sh --all", "backup"},
        {"cd /srv && ./deploy.sh", "deploy"},
        {"flock -n /tmp/x.lock nice -n 10 python3 /opt/report.py", "report"},
        {"A=1 sudo -E env B=2 /bin/tidy", "tidy"},
        {"[ -x /bin/x ] && /bin/x", "x"},
        {"true", ""},
    };
    for (const auto& [command, name] : rows) EXPECT_EQ(name_of_command(command), name) << command;
}

TEST(MovedJobs, ALineWithAProblemUsesUpNoName) {
    auto jobs = jobs_of_crontab(
        parse_crontab("61 1 * * * /bin/backup\n0 1 * * * /bin/backup\n0 2 * * * /opt/backup.sh\n", CrontabForm::user),
        "UTC", "shell");
    for (auto& job : jobs) check_times(job, test::zones(), Instant{});
    name_jobs(jobs);
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_FALSE(jobs[0].problem.empty());
    EXPECT_EQ(jobs[1].name, "backup");
    EXPECT_EQ(jobs[1].definition.at("name"), "backup");
    EXPECT_EQ(jobs[2].name, "backup-2");
}

}  // namespace
}  // namespace belfry::app
