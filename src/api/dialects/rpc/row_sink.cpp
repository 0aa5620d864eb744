#include "api/dialects/rpc/row_sink.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

#include "base/text/json_size.hpp"

namespace belfry::api::rpc {

namespace {

Refusal too_many_rows() {
    return {400,
            "54000",
            "there are more than " + std::to_string(kRowsMax) + " rows",
            {},
            "request one workflow, or a part: ?limit=1000&offset=0"};
}

Refusal too_large() {
    return {400,
            "54000",
            "the rows have more than 4 MiB",
            {},
            "request fewer rows (a smaller p_limit, or ?limit=100&offset=0) or fewer columns (?select=id)"};
}

Refusal too_much_work() {
    return {400, "54000", "the filters take too long", {}, "use shorter patterns and lists, or request one workflow"};
}

// JSON is sorted by its text.
Json sort_key(const Column& column, const boost::json::object& row) {
    auto value = column.of(row);
    const bool is_json = column.type == ColumnType::json && !value.is_null();
    return is_json ? Json(to_text(value)) : std::move(value);
}

}  // namespace

bool RowSink::is_in_window(std::int64_t index) const {
    return index >= query_.offset && (!query_.limit || index - query_.offset < *query_.limit);
}

bool RowSink::wants_more() const {
    if (refusal_) return false;
    return query_.count || !query_.order.empty() || !query_.limit || matched_ - query_.offset < *query_.limit;
}

bool RowSink::only_counts() const { return query_.filters.empty() && query_.order.empty() && !is_in_window(matched_); }

void RowSink::refuse(Refusal refusal) {
    if (!refusal_) refusal_ = std::move(refusal);
}

void RowSink::add(boost::json::object row) {
    if (built_++ == kRowsMax) return refuse(too_many_rows());
    const bool matches =
        std::ranges::all_of(query_.filters, [&](const Filter& filter) { return filter.holds(row, work_); });
    if (work_ > kFilterWorkMax) return refuse(too_much_work());
    if (!matches) return;
    const auto index = matched_++;
    if (query_.order.empty() && !is_in_window(index)) return;
    Kept kept;
    std::size_t bytes = 0;
    for (const auto& ordering : query_.order) {
        kept.keys.push_back(sort_key(ordering.column, row));
        bytes += text_size(kept.keys.back());
    }
    kept.row = selected(std::move(row));
    bytes += text_size(kept.row);
    // A client may select a large column several times.
    if (budget_.is_full() || bytes > store::kPageBytesMax) return refuse(too_large());
    budget_.add(bytes);
    kept_.push_back(std::move(kept));
}

boost::json::object RowSink::selected(boost::json::object row) const {
    if (query_.selected.empty()) return row;
    boost::json::object out;
    for (const auto& [key, column] : query_.selected) out[key] = column.of(row);
    return out;
}

bool RowSink::comes_before(const Kept& a, const Kept& b) const {
    for (std::size_t i = 0; i < query_.order.size(); ++i) {
        const auto& ordering = query_.order[i];
        const bool a_null = a.keys[i].is_null();
        const bool b_null = b.keys[i].is_null();
        if (a_null && b_null) continue;
        if (a_null != b_null) return a_null == ordering.nulls_first;
        const auto order = compare(a.keys[i], b.keys[i], ordering.column.type);
        if (order != 0) return ordering.descending ? order > 0 : order < 0;
    }
    return false;
}

OrRefusal<RowSink::Result> RowSink::take() {
    if (refusal_) return *refusal_;
    Result result{.rows = {}, .offset = query_.offset};
    if (query_.count) result.total = matched_;
    std::int64_t index = query_.order.empty() ? query_.offset : 0;
    std::ranges::stable_sort(kept_, [this](const Kept& a, const Kept& b) { return comes_before(a, b); });
    for (auto& kept : kept_) {
        if (is_in_window(index++)) result.rows.emplace_back(std::move(kept.row));
    }
    return result;
}

}  // namespace belfry::api::rpc
