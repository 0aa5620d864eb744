#include "base/crypto/secret.hpp"

#include <gtest/gtest.h>

#include <boost/json/value_from.hpp>
#include <sstream>

#include "base/log.hpp"
#include "base/text/base64.hpp"
#include "base/text/json.hpp"

namespace belfry {
namespace {

template <typename T>
concept Printable = requires(std::ostream& out, const T& value) {
    out << value;
};

static_assert(!Printable<Secret> && Printable<std::string>);
static_assert(!std::is_convertible_v<Secret, std::string> && !std::is_convertible_v<Secret, std::string_view>);
static_assert(!std::is_constructible_v<LogValue, const Secret&> &&
              std::is_constructible_v<LogValue, const std::string&>);
static_assert(!std::is_constructible_v<Json, const Secret&> && !boost::json::has_value_from<Secret>::value);
static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);

TEST(Secret, IsRevealedOnlyByName) {
    Secret secret(std::string("open sesame"));
    EXPECT_EQ(secret.reveal(), "open sesame");
    EXPECT_EQ(secret.size(), 11U);
}

TEST(Secret, MovesWithoutLeavingAnythingBehind) {
    Secret from(std::string("short"));
    Secret to(std::move(from));
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): that is the point
    EXPECT_EQ(to.reveal(), "short");
    from = std::move(to);
    EXPECT_TRUE(to.empty());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(from.reveal(), "short");
}

TEST(Secret, NothingIsNoSecret) {
    EXPECT_TRUE(same_secret("a", "a"));
    EXPECT_FALSE(same_secret("a", "b"));
    EXPECT_FALSE(same_secret("a", "aa"));
    EXPECT_FALSE(same_secret("", ""));
}

TEST(Base64Url, HasOneTextForEveryBytes) {
    struct Row {
        std::string bytes;
        std::string text;
    };
    const Row rows[] = {{"", ""},
                        {"f", "Zg"},
                        {"fo", "Zm8"},
                        {"foo", "Zm9v"},
                        {"foob", "Zm9vYg"},
                        {"\xFB\xFF\xBF", "-_-_"},
                        {std::string(2, '\0'), "AAA"}};
    for (const auto& row : rows) {
        EXPECT_EQ(to_base64url(row.bytes), row.text);
        EXPECT_EQ(from_base64url(row.text), row.bytes);
    }
    for (const auto* const wrong : {"Z", "Zg==", "Zg=", "Zh", "Zm9", "Zm+v", "Zm/v", " Zm9v", "Zm9v\n", "Zm9vY"}) {
        EXPECT_EQ(from_base64url(wrong), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace belfry
