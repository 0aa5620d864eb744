#include "store/postgres/postgres_encoding.hpp"

#include <endian.h>

#include <cstring>

#include "store/postgres/postgres_oids.hpp"

namespace belfry::store::postgres {

namespace {

// PostgreSQL allocates at most 1 GiB for one value (MaxAllocSize); this limit stays well below.
constexpr std::size_t kParametersBytesMax = 512U << 20U;

// Memory kept between two batches: enough for a usual one, without holding the memory of a huge one forever.
constexpr std::size_t kBytesKeptMax = 4U << 20U;

constexpr std::int32_t kNull = -1;

Oid element_type(sql::Type type) {
    switch (type) {
        case sql::Type::text: return kText;
        case sql::Type::bytes: return kBytea;
        default: return kInt8;
    }
}

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

Error nul_in_text() { return invalid("text must not contain a NUL character"); }

// The statement and the value both have a type. If they differ, the code has mixed up two columns.
Error wrong_type(sql::Type type) {
    const auto* const expected = type == sql::Type::text    ? "a text"
                                 : type == sql::Type::bytes ? "bytes"
                                                            : "a whole number";
    return Error{ErrorCode::corrupt, std::string("a value is not ") + expected + ", as its parameter is"};
}

}  // namespace

Result<void> Parameters::encode(const sql::Rendered& statement, const sql::Batch& batch,
                                std::optional<std::int64_t> last) {
    if (bytes_.capacity() > kBytesKeptMax) std::string().swap(bytes_);
    bytes_.clear();
    ends_.clear();
    nulls_.clear();

    const auto width = statement.parameters.size();
    if (width > 0 && (batch.width() != width || (!statement.batched && batch.rows() != 1))) {
        return Error{ErrorCode::corrupt, "the batch does not have one value for every parameter"};
    }
    if (statement.batched) bytes_.reserve(width * (20 + 12 * batch.rows()));
    for (std::size_t column = 0; column < width; ++column) {
        const auto type = statement.parameters[column];
        const bool single = !statement.batched || (statement.shared >> column & 1U) != 0;
        auto encoded = single ? scalar(type, batch.at(0, column)) : array(type, batch, column);
        if (!encoded) return encoded;
        ends_.push_back(bytes_.size());
        if (bytes_.size() > kParametersBytesMax) return invalid("the parameters are too large for one statement");
    }
    if (last) {
        nulls_.push_back(false);
        number64(*last);
        ends_.push_back(bytes_.size());
    }
    point_into_bytes();
    return {};
}

Result<void> Parameters::scalar(sql::Type type, const sql::Value& value) {
    nulls_.push_back(std::holds_alternative<std::monostate>(value));
    if (nulls_.back()) return {};
    if (type == sql::Type::integer) {
        const auto* number = std::get_if<std::int64_t>(&value);
        if (number == nullptr) return wrong_type(type);
        number64(*number);
    } else if (type == sql::Type::text) {
        const auto* text = std::get_if<std::string>(&value);
        if (text == nullptr) return wrong_type(type);
        if (has_nul(*text)) return nul_in_text();
        bytes_ += *text;
    } else {
        const auto* bytes = std::get_if<sql::Bytes>(&value);
        if (bytes == nullptr) return wrong_type(type);
        bytes_ += bytes->value;
    }
    return {};
}

// The layout of array_send: number of dimensions, a flag for NULLs, the element type, then length and lower bound of
// the only dimension, then every element with its length before it.
Result<void> Parameters::array(sql::Type type, const sql::Batch& batch, std::size_t column) {
    nulls_.push_back(false);
    const auto rows = batch.rows();
    number32(1);
    const auto flag = bytes_.size();
    number32(0);
    number32(static_cast<std::int32_t>(element_type(type)));
    number32(static_cast<std::int32_t>(rows));
    number32(1);

    bool some_null = false;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto& value = batch.at(row, column);
        if (std::holds_alternative<std::monostate>(value)) {
            some_null = true;
            number32(kNull);
        } else if (const auto* number = std::get_if<std::int64_t>(&value);
                   number != nullptr && type == sql::Type::integer) {
            element64(*number);
        } else if (const auto* text = std::get_if<std::string>(&value); text != nullptr && type == sql::Type::text) {
            if (has_nul(*text)) return nul_in_text();
            number32(static_cast<std::int32_t>(text->size()));
            bytes_ += *text;
        } else if (const auto* bytes = std::get_if<sql::Bytes>(&value); bytes != nullptr && type == sql::Type::bytes) {
            number32(static_cast<std::int32_t>(bytes->value.size()));
            bytes_ += bytes->value;
        } else {
            return wrong_type(type);
        }
    }
    if (some_null) bytes_[flag + 3] = 1;
    return {};
}

void Parameters::number32(std::int32_t number) {
    const auto wire = htobe32(static_cast<std::uint32_t>(number));
    bytes_.append(reinterpret_cast<const char*>(&wire), sizeof wire);
}

void Parameters::number64(std::int64_t number) {
    const auto wire = htobe64(static_cast<std::uint64_t>(number));
    bytes_.append(reinterpret_cast<const char*>(&wire), sizeof wire);
}

// A whole number with its length, in one step: most elements are of this kind.
void Parameters::element64(std::int64_t number) {
    char wire[12] = {0, 0, 0, 8};
    const auto swapped = htobe64(static_cast<std::uint64_t>(number));
    std::memcpy(wire + 4, &swapped, sizeof swapped);
    bytes_.append(wire, sizeof wire);
}

// Done last, when the buffer no longer moves.
void Parameters::point_into_bytes() {
    values_.resize(ends_.size());
    lengths_.resize(ends_.size());
    formats_.assign(ends_.size(), 1);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        values_[i] = nulls_[i] ? nullptr : bytes_.data() + begin;
        lengths_[i] = static_cast<int>(ends_[i] - begin);
        begin = ends_[i];
    }
}

}  // namespace belfry::store::postgres
