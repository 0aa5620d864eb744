#include "api/contract/batch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/idempotency.hpp"
#include "base/crypto/sha256.hpp"

namespace belfry::api {

Result<const boost::json::array*> read_items(const Call& call, const std::vector<Member>& others) {
    if (!call.request.header(model::kRequestKeyField).empty()) {
        return in_field(invalid("a request with many items has no key of its own; set idempotencyKey in each item"),
                        model::kRequestKeyField);
    }
    auto members = others;
    members.push_back(items_member(anything()));
    if (auto errors = check(call.body, *record("", std::move(members))); !errors.empty())
        return combine_errors(std::move(errors));
    const auto& items = Values(call.body).array("items");
    if (items.empty()) return in_field(invalid("there is no item; send at least one"), "/items");
    return &items;
}

std::string item_place(std::size_t index) { return "/items/" + std::to_string(index); }

Error in_item(Error error, std::size_t index) {
    // The key of an item is in its body, not in a header.
    if (error.field == model::kRequestKeyField) error.field = std::string("/") + kItemKey;
    return in_field(std::move(error), item_place(index));
}

std::optional<Error> check_item(const Json& item, const Shape& shape, std::size_t index) {
    return together_if_any(check(item, shape, Side::request, item_place(index)));
}

model::CommandContext context_of_item(const Call& call, const Json& item, const std::string& path, std::string reason) {
    auto context = call.context(std::move(reason));
    auto key = Values(item).text(kItemKey);
    if (!key) return context;
    auto alone = item.get_object();
    alone.erase(kItemKey);
    context.request =
        model::RequestKey{std::move(*key), sha256_hex(call.request.method + '\n' + path + "\n\n" + to_text(alone))};
    return context;
}

Member item_key_member() {
    return {kItemKey, checked_text("idempotency-key", &check_request_key),
            "Unique key for this item. If the client sends the item again with the same key, alone or in another "
            "request with many items, it takes effect once."};
}

Json item_json(int status, std::string_view name, Json made, bool repeated) {
    return boost::json::object{{"status", status}, {"replayed", repeated}, {name, std::move(made)}};
}

Json item_json(const Error& error) {
    const auto problem = problem_of(error);
    return boost::json::object{{"status", problem.status}, {"replayed", false}, {"problem", to_json(problem)}};
}

Member items_member(ShapePtr item) {
    return {"items", list_of(std::move(item), kBatchItemsMax), "Items, each processed independently.",
            Presence::required};
}

ShapePtr batch_answer(const std::string& name, Member made, std::vector<Member> others) {
    others.insert(
        others.begin(),
        {"items",
         list_of(record(name + "Item", {{"status", integer(200, 599), "Status code of the item.", Presence::required},
                                        {"replayed", boolean(), "Whether an earlier request with the same key did it.",
                                         Presence::required},
                                        std::move(made),
                                        {"problem", problem_shape(), "Why the item was rejected."}})),
         "Results of the items, in the order of the request.", Presence::required});
    return record(name, std::move(others));
}

}  // namespace belfry::api
