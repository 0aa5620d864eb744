#include "app/server/outgoing.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/settings/settings_load.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::app {
namespace {

Result<LoadedSettings> load(const std::map<std::string, std::string>& given) {
    SettingSources sources;
    for (const auto& [name, text] : given) sources.flags[name] = text;
    return load_settings(sources);
}

TEST(Outgoing, NothingButPublicAddressesIsPermittedByDefault) {
    EXPECT_TRUE(outgoing_options(load({}).value().values).permitted.empty());
    EXPECT_EQ(outgoing_options(load({{"outgoing_allow", "10.0.0.0/8, ::1"}}).value().values).permitted,
              parse_networks("10.0.0.0/8,::1").value());
    EXPECT_EQ(load({{"outgoing_allow", "10.0.0.1/8"}}).error().message,
              "--outgoing-allow: \"10.0.0.1/8\" has bits after the first 8: did you mean 10.0.0.0/8?");
}

TEST(SealingKeys, OfAFileStoreAreMadeInTheDataFolderWhenTheyAreFirstNeeded) {
    const test::TempFolder folder;
    const auto data = folder.file("data");
    const auto keys = sealing_keys(load({{"data_dir", data}}).value().values);
    EXPECT_FALSE(std::filesystem::exists(data));
    const auto made = keys().value();
    EXPECT_EQ(made.size(), 1U);
    EXPECT_EQ(keys().value(), made);
    EXPECT_EQ(read_sealing_keys(data + "/secret.key", MissingKeyFile::refuse).value(), made);
}

TEST(SealingKeys, OfAStoreThatServersShareHaveToBeGiven) {
    const auto keys = sealing_keys(load({{"store", "postgres://db/belfry"}}).value().values);
    EXPECT_NE(keys().error().message.find("set secret_key_file"), std::string::npos);
}

TEST(SealingKeys, OfAFileThatIsNamedAreNeverMade) {
    const test::TempFolder folder;
    const auto keys = sealing_keys(load({{"secret_key_file", folder.file("keys")}}).value().values);
    EXPECT_EQ(keys().error().message, "there is no key file " + folder.file("keys"));
    std::ofstream(folder.file("keys")) << std::string(64, 'a') << "\n" << std::string(64, 'b') << "\n";
    EXPECT_EQ(keys().value().size(), 2U);
}

}  // namespace
}  // namespace belfry::app
