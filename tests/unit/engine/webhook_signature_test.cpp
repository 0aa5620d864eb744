#include "engine/outgoing/webhook_signature.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/crypto/hmac.hpp"
#include "base/crypto/sha256.hpp"
#include "base/text/base64.hpp"

namespace belfry::engine {
namespace {

// The example of the specification's reference libraries.
constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr SignedMessage kMessage{"msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"};

TEST(WebhookSignature, IsThatOfStandardWebhooks) {
    const std::vector keys{webhook_key(kSecret).value()};
    EXPECT_EQ(sign(kMessage, keys), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    EXPECT_EQ(signature_headers(kMessage, keys),
              (std::vector<HttpHeader>{{"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"},
                                       {"webhook-timestamp", "1614265330"},
                                       {"webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}}));
}

TEST(WebhookSignature, IsMadeWithEverySecretWhileTheyChange) {
    const std::vector keys{std::string(32, 'n'), webhook_key(kSecret).value()};
    const auto both = sign(kMessage, keys);
    EXPECT_EQ(both, sign(kMessage, std::span(keys).first(1)) + " v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignature, ChangesWithEveryPart) {
    const std::vector keys{webhook_key(kSecret).value()};
    const auto right = sign(kMessage, keys);
    EXPECT_NE(sign({"msg_p5jXN8AQM9LWM0D4loKWxJel", 1614265330, kMessage.body}, keys), right);
    EXPECT_NE(sign({kMessage.id, 1614265331, kMessage.body}, keys), right);
    EXPECT_NE(sign({kMessage.id, 1614265330, R"({"test": 2432232315})"}, keys), right);
}

TEST(WebhookSecret, IsRandomAndOfTheRightForm) {
    std::set<std::string> made;
    for (int i = 0; i < 100; ++i) {
        made.insert(make_webhook_secret());
        EXPECT_EQ(webhook_key(*made.begin()).value().size(), 32U);
    }
    EXPECT_EQ(made.size(), 100U);
}

TEST(WebhookSecret, HasBetween24And64Bytes) {
    const auto of = [](std::size_t bytes) { return webhook_key("whsec_" + to_base64(std::string(bytes, 'x'))); };
    EXPECT_TRUE(of(24));
    EXPECT_TRUE(of(64));
    EXPECT_FALSE(of(23));
    EXPECT_FALSE(of(65));
    for (const auto* text : {"", "whsec_", "hush", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                             "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_?"}) {
        const auto key = webhook_key(text);
        ASSERT_FALSE(key) << text;
        EXPECT_EQ(key.error().message, "a secret is whsec_ and the base64 of 24 to 64 bytes");
    }
}

TEST(Hmac, IsThatOfRfc4231) {
    EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(to_hex(hmac_sha256("", "")), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

}  // namespace
}  // namespace belfry::engine
