#include "store/observed_store.hpp"

#include <gtest/gtest.h>

#include "store/memory/memory_store.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::store {
namespace {

class Notes final : public StoreObserver {
public:
    void observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) override {
        EXPECT_GE(took.count(), 0);
        lines.push_back(std::string(verb) + (error ? ": " + error->message : ""));
    }
    std::vector<std::string> lines;
};

TEST(ObservedStore, TellsEveryVerbAndHowItEndedAndChangesNothing) {
    Notes notes;
    ObservedStore store(std::make_unique<MemoryStore>(test::zones()), notes);
    EXPECT_EQ(store.tenants().value().size(), 1U);
    EXPECT_EQ(store.tenant("nobody").error().code, ErrorCode::not_found);
    EXPECT_TRUE(store.put_tenant({.name = "acme"}));
    EXPECT_EQ(notes.lines, (std::vector<std::string>{"tenants", "tenant: there is no tenant nobody", "put_tenant"}));
}

TEST(ObservedStore, TellsTheVerbsOfItsRegistryToo) {
    Notes notes;
    ObservedStore store(std::make_unique<MemoryStore>(test::zones()), notes);
    EXPECT_TRUE(store.registry().add_key({.id = "k1", .name = "ci"}));
    EXPECT_EQ(store.registry().keys().value().size(), 1U);
    EXPECT_EQ(store.registry().webhook("default", "w1").error().code, ErrorCode::not_found);
    EXPECT_EQ(notes.lines, (std::vector<std::string>{"add_key", "keys", "webhook: there is no webhook w1"}));
}

}  // namespace
}  // namespace belfry::store
