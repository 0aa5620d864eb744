// Converts between rows and values of the registry.
#pragma once

#include <string>
#include <vector>

#include "model/tenant/access.hpp"
#include "model/tenant/webhook.hpp"
#include "store/sql/read/rows.hpp"

namespace belfry::store::sql {

// Columns kKeyColumns.
[[nodiscard]] Result<model::ApiKey> read_key(const Row& row);
[[nodiscard]] std::string roles_text(const model::Roles& roles);

// Columns kWebhookColumns.
struct WebhookRow {
    model::Webhook webhook;
    std::int64_t taken = 0;  // position of the last item that it has taken
};
[[nodiscard]] Result<WebhookRow> read_webhook(const Row& row);
[[nodiscard]] std::string list_text(const std::vector<std::string>& list);

// Columns of kFeed, and the first of kDeliveryColumns.
[[nodiscard]] Result<model::FeedItem> read_feed_item(const Row& row);
[[nodiscard]] Result<model::Delivery> read_delivery(const Row& row);

// Reads all rows of a result; the first unreadable one is the error.
template <typename T>
Result<std::vector<T>> read_rows(Session& session, const Statement& statement, const Batch& batch,
                                 Result<T> (*read)(const Row&)) {
    std::vector<T> all;
    std::optional<Error> failed;
    auto done = session.run(statement, batch, [&](const Row& row) {
        auto each = read(row);
        if (each) {
            all.push_back(std::move(*each));
        } else if (!failed) {
            failed = each.error();
        }
    });
    if (!done) return done.error();
    if (failed) return *failed;
    return all;
}

// The same in its own transaction.
template <typename T>
Result<std::vector<T>> read_rows(Database& database, const Statement& statement, const Batch& batch,
                                 Result<T> (*read)(const Row&)) {
    std::vector<T> all;
    auto done = database.read([&](Session& session) -> Result<void> {
        auto rows = read_rows(session, statement, batch, read);
        if (!rows) return rows.error();
        all = std::move(*rows);
        return {};
    });
    if (!done) return done.error();
    return all;
}

// Returns not_found if the tenant does not exist. `statement` may lock its row.
[[nodiscard]] Result<void> require_tenant(Session& session, const std::string& tenant, const Statement& statement);

}  // namespace belfry::store::sql
