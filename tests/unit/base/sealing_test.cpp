#include "base/crypto/sealing.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include "base/crypto/random_bytes.hpp"
#include "base/text/base64.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry {
namespace {

const SealingKey kOld(kSealingKeyBytes, 'o');
const SealingKey kNew(kSealingKeyBytes, 'n');
constexpr SealFor kUse{"default", "webhook:1"};

Sealer::Keys keys(std::vector<SealingKey> all) {
    return [all = std::move(all)]() -> Result<std::vector<SealingKey>> { return all; };
}

TEST(Sealer, OpensWhatItSealed) {
    Sealer sealer(keys({kOld}));
    for (const auto& secret :
         {std::string(), std::string("whsec_hush"), std::string("\0\xff", 2), std::string(100'000, 'x')}) {
        const auto sealed = sealer.seal(secret, kUse).value();
        EXPECT_TRUE(sealed.starts_with("v1."));
        EXPECT_EQ(sealer.open(sealed, kUse).value(), secret);
    }
}

TEST(Sealer, DerivesASecretForEveryKeyAndEveryUse) {
    Sealer sealer(keys({kNew, kOld}));
    const auto derived = sealer.derive(kUse).value();
    ASSERT_EQ(derived.size(), 2U);
    EXPECT_EQ(derived[0].size(), 32U);
    EXPECT_EQ(derived, sealer.derive(kUse).value()) << "it is kept nowhere, so it must come out the same";
    Sealer before(keys({kOld}));
    EXPECT_EQ(before.derive(kUse).value()[0], derived[1]) << "what an older key made still counts";
    std::set<std::string> all(derived.begin(), derived.end());
    for (const auto& use :
         {SealFor{"default", "webhook:2"}, SealFor{"defaul", "twebhook:1"}, SealFor{"other", "webhook:1"}}) {
        for (const auto& each : sealer.derive(use).value()) all.insert(each);
    }
    EXPECT_EQ(all.size(), 8U);
    Sealer none([]() -> Result<std::vector<SealingKey>> { return Error{ErrorCode::unavailable, "no keys"}; });
    EXPECT_EQ(none.derive(kUse).error().message, "no keys");
}

TEST(Sealer, NeverWritesTheSameTextTwiceAndNeverTheSecret) {
    Sealer sealer(keys({kOld}));
    std::set<std::string> texts;
    for (int i = 0; i < 1000; ++i) texts.insert(sealer.seal("canary-canary-canary", kUse).value());
    EXPECT_EQ(texts.size(), 1000U);
    for (const auto& text : texts) EXPECT_EQ(from_base64url(text.substr(3)).value().find("canary"), std::string::npos);
}

TEST(Sealer, OpensForTheSameTenantAndPurposeOnly) {
    Sealer sealer(keys({kOld}));
    const auto sealed = sealer.seal("hush", kUse).value();
    EXPECT_EQ(sealer.open(sealed, {"other", "webhook:1"}).error().code, ErrorCode::corrupt);
    EXPECT_EQ(sealer.open(sealed, {"default", "webhook:2"}).error().code, ErrorCode::corrupt);
    // The same letters, parted in another place.
    const auto moved = sealer.seal("hush", {"ab", "c"}).value();
    EXPECT_FALSE(sealer.open(moved, {"a", "bc"}));
}

TEST(Sealer, RefusesATextOfWhichAnyByteWasChanged) {
    Sealer sealer(keys({kOld}));
    const auto sealed = sealer.seal("hush", kUse).value();
    const auto bytes = from_base64url(sealed.substr(3)).value();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_FALSE(sealer.open("v1." + to_base64url(changed), kUse)) << "byte " << i;
    }
    for (const auto& text : {std::string(), std::string("v1."), std::string("v2.") + sealed.substr(3), sealed.substr(3),
                             sealed + "A", "v1.AAAA" + sealed.substr(3), sealed.substr(0, sealed.size() - 2)}) {
        EXPECT_FALSE(sealer.open(text, kUse)) << text;
    }
}

TEST(Sealer, WhileKeysRotateTheFirstSealsAndAllOpen) {
    Sealer before(keys({kOld}));
    Sealer during(keys({kNew, kOld}));
    Sealer after(keys({kNew}));
    const auto old = before.seal("hush", kUse).value();
    const auto now = during.seal("hush", kUse).value();
    EXPECT_EQ(during.open(old, kUse).value(), "hush");
    EXPECT_EQ(after.open(now, kUse).value(), "hush");
    EXPECT_FALSE(before.open(now, kUse));
    EXPECT_NE(after.open(old, kUse).error().message.find("secret_key_file"), std::string::npos);
}

TEST(Sealer, AsksForItsKeysUntilItHasThem) {
    int asked = 0;
    Sealer sealer([&]() -> Result<std::vector<SealingKey>> {
        if (++asked < 3) return invalid("set secret_key_file");
        return std::vector{kOld};
    });
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(sealer.seal("hush", kUse).error().message, "set secret_key_file");
    EXPECT_FALSE(sealer.check());
    EXPECT_TRUE(sealer.seal("hush", kUse));
    EXPECT_TRUE(sealer.check());
    EXPECT_EQ(asked, 3);
}

TEST(SealingKeys, AreWrittenInBase64OrHexadecimal) {
    const auto bytes = random_bytes(kSealingKeyBytes);
    EXPECT_EQ(
        parse_sealing_keys("# new\n" + to_base64(bytes) + "\r\n\n  # old\n " + std::string(64, '0') + " \n").value(),
        (std::vector{bytes, std::string(kSealingKeyBytes, '\0')}));
    for (const auto& text : {std::string(), std::string("# nothing\n"), std::string("hush"), std::string(64, 'x'),
                             std::string(62, '0'), to_base64(bytes + "x")}) {
        EXPECT_NE(parse_sealing_keys(text).error().message.find("openssl rand -base64 32"), std::string::npos) << text;
    }
}

TEST(SealingKeys, AnErrorShowsNoPartOfAKey) {
    EXPECT_EQ(parse_sealing_keys("almost-a-key").error().message.find("almost"), std::string::npos);
}

TEST(SealingKeys, AFileIsMadeOnceForItsOwnerOnly) {
    const test::TempFolder folder;
    const auto path = folder.file("secret.key");
    EXPECT_EQ(read_sealing_keys(path, MissingKeyFile::refuse).error().code, ErrorCode::not_found);
    std::vector<Result<std::vector<SealingKey>>> found(8, Error{});
    {
        std::vector<std::jthread> threads;
        for (auto& each : found) threads.emplace_back([&] { each = read_sealing_keys(path, MissingKeyFile::make); });
    }
    for (const auto& each : found) EXPECT_EQ(each.value(), found.front().value());
    EXPECT_EQ(read_sealing_keys(path, MissingKeyFile::refuse).value(), found.front().value());
    struct stat about {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0600U);
    EXPECT_NE(read_sealing_keys(folder.file("no/secret.key"), MissingKeyFile::make)
                  .error()
                  .message.find("cannot make the key file"),
              std::string::npos);
}

TEST(SealingKeys, AFileThatHoldsNoneIsNamed) {
    const test::TempFolder folder;
    std::ofstream(folder.file("secret.key")) << "nothing\n";
    EXPECT_NE(read_sealing_keys(folder.file("secret.key"), MissingKeyFile::make)
                  .error()
                  .message.find("secret.key: line 1 is not a key"),
              std::string::npos);
}

TEST(Base64, HasOneTextForTheSameBytes) {
    // RFC 4648, section 10
    const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                        {"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {"foob", "Zm9vYg=="},
                                                        {"fooba", "Zm9vYmE="},
                                                        {"foobar", "Zm9vYmFy"}};
    for (const auto& row : rows) {
        EXPECT_EQ(to_base64(row.first), row.second);
        EXPECT_EQ(from_base64(row.second), row.first);
    }
    EXPECT_EQ(to_base64url("\xfb\xff"), "-_8");
    EXPECT_EQ(to_base64("\xfb\xff"), "+/8=");
    EXPECT_EQ(from_base64url("-_8"), "\xfb\xff");
    for (const auto* text : {"Zg=", "Zg", "Zh==", "Z===", "====", "Zm9v\n", "Zm 9v", "-_8=", "Zg==Zg=="})
        EXPECT_FALSE(from_base64(text)) << text;
    for (const auto* text : {"A", "AB", "-_9", "+/8", "-_8="}) EXPECT_FALSE(from_base64url(text)) << text;
    EXPECT_EQ(from_hex("00fFAb"), std::string("\0\xff\xab", 3));
    EXPECT_FALSE(from_hex("0"));
    EXPECT_FALSE(from_hex("0g"));
}

}  // namespace
}  // namespace belfry
