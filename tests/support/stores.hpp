// The stores that the contract is about, each as a place that can be opened again and again: what a restart, a second server
// or a race needs.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace belfry::test {

using StorePtr = std::shared_ptr<store::Store>;

// One place where a store keeps everything; empty at first and gone with this object.
class StoreWorld {
public:
    virtual ~StoreWorld() = default;

    // A handle of its own on the same place, like another server's. In memory all are one. What cannot be opened ends the
    // program: there is nothing to test then.
    [[nodiscard]] virtual StorePtr open() = 0;

    // Whether one handle hears what another announces.
    [[nodiscard]] virtual bool announces_across_handles() const = 0;
};

struct StoreUnderTest {
    std::string name;
    std::function<std::unique_ptr<StoreWorld>()> make;
    friend std::ostream& operator<<(std::ostream& out, const StoreUnderTest& store) { return out << store.name; }
};

// "memory", "sqlite", "postgres". The environment's STORES=memory,sqlite asks for some of them only.
[[nodiscard]] std::vector<StoreUnderTest> stores_under_test();

}  // namespace belfry::test
