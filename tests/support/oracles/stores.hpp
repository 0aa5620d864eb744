// The stores that the contract is about, each as a place that can be opened again and again: what a restart, a second
// server or a race needs.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/time/clock.hpp"
#include "store/store.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::test {

using StorePtr = std::shared_ptr<store::Store>;

// One place where a store keeps everything; empty at first and gone with this object.
class StoreWorld {
public:
    virtual ~StoreWorld() = default;

    // A handle of its own on the same place, like another server's. In memory all are one. What cannot be opened ends
    // the program: there is nothing to test then.
    [[nodiscard]] StorePtr open() { return open(zones(), nullptr); }
    // The same with zones and a clock of the test's own; in memory the first one decides. REQUIRES: they outlive it.
    [[nodiscard]] virtual StorePtr open(const spec::ZoneDatabase& zones, const Clock* clock) = 0;

    // Runs statements behind the backs of those who have it open, as a person with a client would; false when there is
    // nothing to run them on.
    virtual bool damage(const std::string& statements) = 0;

    // Whether one handle hears what another notifies.
    [[nodiscard]] virtual bool announces_across_handles() const = 0;

    store::StoreLimits limits = {};  // of the handles that are opened from now on; in memory, of the first one
};

struct StoreUnderTest {
    std::string name;
    std::function<std::unique_ptr<StoreWorld>()> make;
    friend std::ostream& operator<<(std::ostream& out, const StoreUnderTest& store) { return out << store.name; }
};

// "memory", "sqlite", "postgres". The environment's STORES=memory,sqlite asks for some of them only.
[[nodiscard]] std::vector<StoreUnderTest> stores_under_test();

}  // namespace belfry::test
