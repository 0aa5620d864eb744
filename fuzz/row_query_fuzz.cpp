// A query over rows, one parameter in each line, and rows that it is applied to. A window of the sorted rows must be a
// part of all of them, and the count must be the number of rows without the window.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/row_sink.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;
using namespace belfry::api;

namespace {

const ShapePtr kRow = record("Row", {{"id", uuid(), ""},
                                     {"name", or_null(text()), ""},
                                     {"count", integer(), ""},
                                     {"active", boolean(), ""},
                                     {"created_at", instant(), ""},
                                     {"policy", anything(), ""}});

boost::json::object row_of(int number) {
    return {{"id", "00000000-0000-4000-8000-00000000000" + std::to_string(number)},
            {"name", number % 3 == 0 ? Json(nullptr) : Json("name " + std::to_string(number))},
            {"count", number},
            {"active", number % 2 == 0},
            {"created_at", "2026-01-0" + std::to_string(number + 1) + "T00:00:00Z"},
            {"policy", boost::json::object{{"a", boost::json::array{number, "x"}}}}};
}

rpc::RowSink::Result answer(const rpc::RowQuery& query) {
    rpc::RowSink sink(query);
    for (int number = 0; number < 8 && sink.wants_more(); ++number) {
        if (sink.only_counts()) {
            sink.skip();
        } else {
            sink.add(row_of(number));
        }
    }
    auto result = sink.take();
    fuzz::require(std::holds_alternative<rpc::RowSink::Result>(result), "eight small rows are not too many");
    return std::get<rpc::RowSink::Result>(std::move(result));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto text = fuzz::text_of(data, size);
    const std::string about(text);
    Request request;
    Parameters::Pairs pairs;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string name(line.substr(0, equals));
        const std::string value(line.substr(equals + 1));
        if (name == "range") request.headers.emplace_back("Range", value);
        if (name == "accept") request.headers.emplace_back("Accept", value);
        if (name != "range" && name != "accept") pairs.emplace_back(name, value);
    }
    const Call call{.request = request, .query = Parameters(pairs)};
    const auto parsed = rpc::parse_row_query(call, *record("", {}), *kRow);
    const auto media = rpc::accepted_media(request.header("Accept"));
    if (std::holds_alternative<rpc::Refusal>(parsed)) return 0;
    auto query = std::get<rpc::RowQuery>(parsed);
    query.count = true;
    const auto part = answer(query);
    if (const auto* const wanted = std::get_if<rpc::Media>(&media))
        fuzz::require(rpc::rows_response(part, query, *wanted, *kRow).status >= 200, "rows can be written", about);
    const auto offset = query.offset;
    query.offset = 0;
    query.limit = {};
    const auto whole = answer(query);
    fuzz::require(part.total == whole.total && whole.total == static_cast<std::int64_t>(whole.rows.size()),
                  "the count does not depend on the window", about);
    for (std::size_t i = 0; i < part.rows.size(); ++i)
        fuzz::require(same_json(part.rows[i], whole.rows.at(static_cast<std::size_t>(offset) + i)),
                      "a window is a part of all rows", about);
    return 0;
}
