// The statements of the program, found by calling every verb and every read of a store and writing down what it sends
// to the database: no list to keep by hand, no copy of any SQL.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/store_faults_world.hpp"

namespace belfry::store {

// Something that is asked of a store. Returns why it was refused, or nothing.
struct StoreCall {
    std::string name;
    std::function<std::string(Store&)> ask;
};

// What belongs together on the page, and the statements that no earlier section has.
struct StatementSection {
    std::string title;
    std::vector<const sql::Statement*> statements;
};

// Calls everything in a small world of that kind ("sqlite" or "postgres"), which is put back before every call.
[[nodiscard]] std::vector<StatementSection> statements_of_store(const std::string& kind);

}  // namespace belfry::store
