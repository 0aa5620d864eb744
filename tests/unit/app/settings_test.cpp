#include "app/settings/settings_load.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "app/server/data_folder.hpp"
#include "app/settings/setting_values.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::app {
namespace {

class SettingsTest : public testing::Test {
protected:
    std::string file(const std::string& text) {
        const auto path = folder.file("belfry.toml");
        std::ofstream(path) << text;
        return path;
    }
    [[nodiscard]] Result<LoadedSettings> load() const { return load_settings(sources); }
    [[nodiscard]] std::string error() const { return load().error().message; }
    [[nodiscard]] std::string origin_of(std::string_view name) const {
        for (const auto& each : load().value().effective) {
            if (each.setting->name == name) return each.origin;
        }
        return "";
    }

    test::TempFolder folder;
    SettingSources sources{.environment = {{"HOME", "/home/ada"}}};
};

TEST_F(SettingsTest, TheSettingsOfTlsGoTogether) {
    sources.flags["tls_certificate"] = "server.pem";
    EXPECT_EQ(error(), "tls_certificate and tls_key belong together: set both or none");
    sources.flags["tls_key"] = "server.key";
    EXPECT_EQ(load().value().values.tls.client_auth, api::ClientAuth::none);
    sources.flags["tls_client_auth"] = "required";
    EXPECT_EQ(error(), "tls_client_auth requires the authorities of client certificates: set tls_client_ca");
    sources.flags["tls_client_ca"] = "clients.pem";
    EXPECT_EQ(load().value().values.tls.client_auth, api::ClientAuth::required);
    sources.flags["tls_client_auth"] = "none";
    EXPECT_EQ(error(),
              "tls_client_ca has no effect while tls_client_auth is none: set tls_client_auth to optional or required");
    sources.flags = {{"tls_client_auth", "optional"}};
    EXPECT_EQ(error(), "tls_client_auth requires TLS: set tls_certificate and tls_key");
    sources.flags = {{"tls_client_auth", "maybe"}};
    EXPECT_EQ(error(), "--tls-client-auth: client authentication \"maybe\": use one of none, optional, required");
}

TEST_F(SettingsTest, NamesAreListedWithCommas) {
    EXPECT_TRUE(load().value().values.allowed_hosts.empty());
    sources.flags["allowed_hosts"] = "belfry.example, other.example";
    EXPECT_EQ(load().value().values.allowed_hosts, (std::vector<std::string>{"belfry.example", "other.example"}));
    sources.flags["allowed_hosts"] = "a,,b";
    EXPECT_NE(error().find("--allowed-hosts: "), std::string::npos);
}

TEST_F(SettingsTest, OriginsAreListedExactly) {
    EXPECT_TRUE(load().value().values.allowed_origins.empty());
    sources.flags["allowed_origins"] = "https://app.example, http://localhost:3000";
    EXPECT_EQ(load().value().values.allowed_origins,
              (std::vector<std::string>{"https://app.example", "http://localhost:3000"}));
    sources.flags["allowed_origins"] = "app.example";
    EXPECT_EQ(error(),
              "--allowed-origins: \"app.example\": write an origin as browsers do, for example https://app.example.org "
              "or http://localhost:3000");
    sources.flags["allowed_origins"] = "*";
    EXPECT_TRUE(load());
    sources.flags["auth"] = "off";
    EXPECT_EQ(error(),
              "allowed_origins = * lets every page act as the owner while auth is off: list the origins, or set auth "
              "to required");
    sources.flags = {{"allowed_origins", "*"},
                     {"tls_certificate", "a"},
                     {"tls_key", "b"},
                     {"tls_client_ca", "c"},
                     {"tls_client_auth", "optional"}};
    EXPECT_EQ(error(),
              "allowed_origins = * lets every page use a browser's certificate (tls_client_auth): list the origins");
}

TEST_F(SettingsTest, DetailsOfHealthAreOpenedByName) {
    EXPECT_FALSE(load().value().values.health_details_open);
    sources.flags["health_details"] = "open";
    EXPECT_TRUE(load().value().values.health_details_open);
    sources.flags["health_details"] = "yes";
    EXPECT_EQ(error(), "--health-details: must be auto or open");
}

TEST_F(SettingsTest, WithoutAWordFromAnybodyTheDefaultsApply) {
    const auto settings = load().value().values;
    EXPECT_EQ(settings.listen, "127.0.0.1:8642");
    EXPECT_EQ(settings.min_interval, Seconds{60});
    EXPECT_EQ(settings.tick, std::chrono::milliseconds{1000});         // S2-92
    EXPECT_EQ(settings.lookahead, std::chrono::milliseconds{60'000});  // S2-93
    EXPECT_EQ(settings.max_catchup_per_tick, 100);                     // S2-94
    EXPECT_EQ(settings.defaults, model::ScheduleDefaults{});           // S2-95 to S2-97
    EXPECT_EQ(settings.tick_parallelism, 2);
    EXPECT_EQ(settings.help_after, std::chrono::milliseconds{250});
    EXPECT_EQ(settings.keep_runs_for, std::nullopt);
    EXPECT_EQ(settings.keep_runs_per_schedule, std::nullopt);
    EXPECT_EQ(settings.lease, Seconds{10});
    EXPECT_EQ(settings.drain, Seconds{10});
    EXPECT_EQ(settings.log_level, LogLevel::info);
}

TEST_F(SettingsTest, AFlagWinsOverTheEnvironmentAndTheEnvironmentOverTheFile) {
    sources.config = file("tick_ms = 100\nlookahead_ms = 200\ntakeover_delay_ms = 300\n");
    sources.environment["BELFRY_TICK_MS"] = "101";
    sources.environment["BELFRY_LOOKAHEAD_MS"] = "201";
    sources.flags["tick_ms"] = "102";
    const auto settings = load().value().values;
    EXPECT_EQ(settings.tick.count(), 102);
    EXPECT_EQ(settings.lookahead.count(), 201);
    EXPECT_EQ(settings.help_after.count(), 300);
    EXPECT_EQ(origin_of("tick_ms"), "--tick-ms");
    EXPECT_EQ(origin_of("lookahead_ms"), "BELFRY_LOOKAHEAD_MS");
    EXPECT_EQ(origin_of("takeover_delay_ms"), sources.config);
    EXPECT_EQ(origin_of("listen"), "default");
}

TEST_F(SettingsTest, OldNamesOfSettingsStillWorkWithAWarning) {
    sources.config = file("help_after_ms = 300");
    sources.environment["BELFRY_TICK_LANES"] = "3";
    const auto loaded = load().value();
    EXPECT_EQ(loaded.values.help_after.count(), 300);
    EXPECT_EQ(loaded.values.tick_parallelism, 3);
    EXPECT_EQ(
        loaded.warnings,
        (std::vector<std::string>{
            "help_after_ms in " + sources.config + " is an old name of the setting takeover_delay_ms: use the new one",
            "BELFRY_TICK_LANES is an old name of the setting tick_parallelism: use the new one"}));
    sources.flags["tick_lanes"] = "4";
    EXPECT_EQ(load().value().values.tick_parallelism, 4);
    EXPECT_EQ(origin_of("tick_parallelism"), "--tick-lanes");
}

TEST_F(SettingsTest, TheFlagForTheFileWinsOverItsVariable) {
    sources.environment["BELFRY_CONFIG"] = file("tick_ms = 7");
    EXPECT_EQ(load().value().values.tick.count(), 7);
    sources.config = "/nonexistent/other.toml";
    EXPECT_EQ(error(), "--config: cannot read the file /nonexistent/other.toml");
    sources.config.clear();
    sources.environment["BELFRY_CONFIG"] = "/nonexistent/other.toml";
    EXPECT_EQ(error(), "BELFRY_CONFIG: cannot read the file /nonexistent/other.toml");
}

TEST_F(SettingsTest, ErrorsNameTheSettingAndWhereItCameFrom) {
    sources.config = file("tick_ms = \"soon\"");
    EXPECT_EQ(error(), "tick_ms in " + sources.config + ": \"soon\" is not a whole number from 1 to 60000");
    sources.environment["BELFRY_TICK_MS"] = "0";
    EXPECT_EQ(error(), "BELFRY_TICK_MS: \"0\" is not a whole number from 1 to 60000");
    sources.flags["tick_ms"] = "60001";
    EXPECT_EQ(error(), "--tick-ms: \"60001\" is not a whole number from 1 to 60000");
}

TEST_F(SettingsTest, AFileThatIsNoTomlSaysTheLine) {
    sources.config = file("tick_ms = 100\nlisten = \n");
    EXPECT_TRUE(error().starts_with("--config: " + sources.config + ", line 2, column ")) << error();
    sources.config = folder.path();
    EXPECT_EQ(error(), "--config: cannot read the file " + folder.path());
}

TEST_F(SettingsTest, AMisspeltKeyIsRefusedWithTheOneThatWasMeant) {
    sources.config = file("tick_mss = 100");
    EXPECT_EQ(error(), "unknown setting \"tick_mss\" in " + sources.config + ": did you mean tick_ms?");
    sources.config = file("[server]\nlisten = \"127.0.0.1:1\"");
    EXPECT_EQ(error(), "unknown setting \"server\" in " + sources.config);
}

TEST_F(SettingsTest, AValueOfTheWrongShapeIsRefused) {
    sources.config = file("listen = [\"127.0.0.1:1\"]");
    EXPECT_EQ(error(), "listen in " + sources.config + ": use a whole number or a quoted string");
    sources.config = file("tick_ms = true");
    EXPECT_EQ(error(), "tick_ms in " + sources.config + ": \"true\" is not a whole number from 1 to 60000");
}

TEST_F(SettingsTest, AMisspeltVariableIsAWarningBecauseOthersMakeSomeToo) {
    sources.environment["BELFRY_LISTENN"] = "127.0.0.1:1";
    sources.environment["BELFRY_SERVICE_HOST"] = "10.0.0.1";
    sources.environment["BELFRY_TEST_POSTGRES"] = "postgres://localhost";
    sources.environment["BELFRY_URL"] = "http://localhost:8642";
    EXPECT_EQ(
        load().value().warnings,
        (std::vector<std::string>{"the environment variable BELFRY_LISTENN is not a setting: did you mean listen?",
                                  "the environment variable BELFRY_SERVICE_HOST is not a setting"}));
}

TEST_F(SettingsTest, AnEmptyVariableSaysNothing) {
    sources.environment["BELFRY_TICK_MS"] = "";
    EXPECT_EQ(origin_of("tick_ms"), "default");
}

TEST_F(SettingsTest, PoliciesAreKnownByAllTheirNames) {
    sources.flags = {
        {"default_overlap_policy", "queue"}, {"default_catchup_policy", "backfill"}, {"default_jitter_ms", "1500"}};
    EXPECT_EQ(load().value().values.defaults,
              (model::ScheduleDefaults{model::OverlapPolicy::buffer_all, model::MissedPolicy::fire_all,
                                       std::chrono::milliseconds{1500}}));
    sources.flags = {{"default_overlap_policy", "sometimes"}};
    EXPECT_EQ(error(),
              "--default-overlap-policy: overlap policy \"sometimes\": use one of skip, buffer_one, buffer_all, "
              "allow_all, cancel_other, terminate_other");
    sources.flags = {{"default_catchup_policy", "sometimes"}};
    EXPECT_EQ(
        error(),
        "--default-catchup-policy: missed-run policy \"sometimes\": use one of skip, fire_once, fire_all, spread");
}

TEST_F(SettingsTest, S2_91_TheLookaheadIsBounded) {
    sources.flags = {{"lookahead_ms", "3600001"}};
    EXPECT_EQ(error(), "--lookahead-ms: \"3600001\" is not a whole number from 0 to 3600000");
}

TEST_F(SettingsTest, RetentionIsOffUntilANumberIsGiven) {
    sources.flags = {{"keep_runs_days", "30"}, {"keep_runs_per_schedule", "1000"}};
    EXPECT_EQ(load().value().values.keep_runs_for, std::chrono::days{30});
    EXPECT_EQ(load().value().values.keep_runs_per_schedule, 1000);
    sources.flags = {{"keep_runs_days", "0"}};
    EXPECT_EQ(error(), "--keep-runs-days: \"0\" is not a whole number from 1 to 36500, or none");
}

TEST_F(SettingsTest, TheLeastIntervalIsADurationOfWholeSeconds) {
    sources.flags = {{"min_interval", "5m"}};
    EXPECT_EQ(load().value().values.min_interval, Seconds{300});
    sources.flags = {{"min_interval", "500ms"}};
    EXPECT_EQ(error(), "--min-interval: \"500ms\": use whole seconds from PT1S to P1D");
}

TEST_F(SettingsTest, TheStoreIsAFileInTheDataFolder) {
    EXPECT_TRUE(load().value().values.store.ends_with("/belfry.db"));
    sources.flags = {{"data_dir", "/srv/belfry"}};
    EXPECT_EQ(load().value().values.store, "sqlite:/srv/belfry/belfry.db");
    sources.flags = {{"store", "mysql://root:secret@localhost"}};
    EXPECT_EQ(error(), "--store: not a store: use sqlite:PATH or postgres://USER@HOST/DATABASE");
}

TEST(ListenSetting, IsAHostAndAPort) {
    for (const auto* const good : {"127.0.0.1:8642", "127.1.2.3:0", "[::1]:80", "localhost:65535", "0.0.0.0:8642",
                                   "[::]:8642", "example.org:80"}) {
        EXPECT_TRUE(read_listen(good)) << good;
    }
    for (const auto* const bad : {"", "8642", "localhost", ":8642", "[]:8642", "127.0.0.1:", "127.0.0.1:http",
                                  "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]", "[::1]80"}) {
        const auto read = read_listen(bad);
        ASSERT_FALSE(read) << bad;
        EXPECT_NE(read.error().message.find("use HOST:PORT"), std::string::npos) << bad;
    }
}

TEST_F(SettingsTest, WhoIsAskedWhoTheyAreHasThreeAnswers) {
    EXPECT_EQ(load().value().values.auth, api::auth::AuthMode::automatic);
    EXPECT_EQ(load().value().values.auth_file, "");
    EXPECT_EQ(load().value().values.rate_limit, 1000);
    sources.flags = {{"auth", "required"}, {"auth_file", "/etc/belfry/auth.toml"}, {"rate_limit", "0"}};
    EXPECT_EQ(load().value().values.auth, api::auth::AuthMode::required);
    EXPECT_EQ(load().value().values.auth_file, "/etc/belfry/auth.toml");
    EXPECT_EQ(load().value().values.rate_limit, 0);
    sources.flags = {{"auth", "maybe"}};
    EXPECT_EQ(error(), "--auth: mode \"maybe\": use one of auto, required, off");
    sources.flags = {{"rate_limit", "-1"}};
    EXPECT_EQ(error(), "--rate-limit: \"-1\" is not a whole number from 0 to 1000000");
}

TEST(StoreSetting, APasswordIsNeverShown) {
    EXPECT_EQ(without_password("postgres://ada:secret@db:5432/belfry"), "postgres://ada:…@db:5432/belfry");
    EXPECT_EQ(without_password("postgres://ada:se@cr:et@db/belfry"), "postgres://ada:…@db/belfry");
    EXPECT_EQ(without_password("postgres://ada@db:5432/belfry"), "postgres://ada@db:5432/belfry");
    EXPECT_EQ(without_password("postgres://db/belfry?password=secret"), "postgres://db/belfry?…");
    EXPECT_EQ(without_password("sqlite:/var/lib/belfry/belfry.db"), "sqlite:/var/lib/belfry/belfry.db");
}

TEST(SettingsTable, NamesFlagsAndVariablesFollowFromEachOther) {
    std::set<std::string_view> names;
    for (const auto& setting : settings_table()) EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_EQ(find_setting("max_catchup_per_tick")->flag(), "--max-catchup-per-tick");
    EXPECT_EQ(find_setting("max_catchup_per_tick")->variable(), "BELFRY_MAX_CATCHUP_PER_TICK");
    EXPECT_EQ(find_setting("nothing"), nullptr);
}

TEST(DataFolder, FollowsSystemdThenXdgThenTheUser) {
    EXPECT_EQ(default_data_folder({{"STATE_DIRECTORY", "/var/lib/a:/var/lib/b"}, {"HOME", "/root"}}, true),
              "/var/lib/a");
    EXPECT_EQ(default_data_folder({{"XDG_DATA_HOME", "/home/ada/data"}, {"HOME", "/home/ada"}}, false),
              "/home/ada/data/belfry");
    EXPECT_EQ(default_data_folder({{"HOME", "/home/ada"}}, false), "/home/ada/.local/share/belfry");
    EXPECT_EQ(default_data_folder({{"HOME", "/root"}}, true), "/var/lib/belfry");
}

TEST(DataFolder, IsMadeForItsOwnerOnly) {
    const test::TempFolder folder;
    const auto path = folder.file("deep/data");
    ASSERT_TRUE(make_data_folder(path));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    EXPECT_TRUE(make_data_folder(path));
}

TEST(DataFolder, AFileInItsPlaceIsSaid) {
    const test::TempFolder folder;
    const auto path = folder.file("file");
    std::ofstream(path) << "x";
    EXPECT_TRUE(make_data_folder(path).error().message.starts_with("cannot use the data folder " + path + ": "))
        << make_data_folder(path).error().message;
}

}  // namespace
}  // namespace belfry::app
