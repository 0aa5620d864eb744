// Collects the rows of a function as the client asks for them, and writes the response. This header is internal to the
// dialect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/dialects/rpc/row_query.hpp"
#include "store/listing.hpp"

namespace belfry::api::rpc {

inline constexpr std::int64_t kRowsMax = 10'000;  // that one call builds
// Bytes that the filters of one call compare: a second on a slow machine.
inline constexpr std::uint64_t kFilterWorkMax = std::uint64_t{256} << 20U;

// Functions offer their rows one by one, in the order in which they are returned without `order`. Only the rows of the
// response are kept, in at most the size of a page of the native API.
class RowSink {
public:
    // REQUIRES: the query outlives it.
    explicit RowSink(const RowQuery& query) : query_(query) {}

    // Whether another row can change the response.
    [[nodiscard]] bool wants_more() const;
    // Whether the next row is only counted. Then the function may call skip() instead of building the row.
    [[nodiscard]] bool only_counts() const;
    void skip() { ++matched_; }
    void add(boost::json::object row);
    // Ends the call with this error.
    void refuse(Refusal refusal);

    struct Result {
        std::vector<Json> rows;
        std::int64_t offset = 0;
        std::optional<std::int64_t> total = {};  // of all rows that match, if the client asked for it
    };
    [[nodiscard]] OrRefusal<Result> take();

private:
    struct Kept {
        std::vector<Json> keys;  // of the order
        Json row;
    };
    [[nodiscard]] bool is_in_window(std::int64_t index) const;
    [[nodiscard]] boost::json::object selected(boost::json::object row) const;
    [[nodiscard]] bool comes_before(const Kept& a, const Kept& b) const;

    const RowQuery& query_;
    std::int64_t matched_ = 0;
    std::int64_t built_ = 0;
    std::uint64_t work_ = 0;
    std::vector<Kept> kept_ = {};
    store::PageBudget budget_{std::numeric_limits<std::size_t>::max(), store::kPageBytesMax};
    std::optional<Refusal> refusal_ = {};
};

// The format of a response that Accept asks for.
struct Media {
    enum class Kind : std::uint8_t { array, object, csv };
    Kind kind = Kind::array;
    bool without_nulls = false;
};
// An error if the server has none of the formats.
[[nodiscard]] OrRefusal<Media> accepted_media(std::string_view accept);

// The errors for a result that has not exactly one row, and for one that ends before the requested range.
[[nodiscard]] Refusal not_one_row(std::size_t rows);
[[nodiscard]] Refusal out_of_range(const RowSink::Result& result);

// REQUIRES: the media is one of rows.
[[nodiscard]] Response rows_response(const RowSink::Result& result, const RowQuery& query, const Media& media,
                                     const Shape& row);

}  // namespace belfry::api::rpc
