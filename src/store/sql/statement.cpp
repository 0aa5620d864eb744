#include "store/sql/statement.hpp"

#include <algorithm>
#include <cassert>

#include "base/text/ascii.hpp"

namespace belfry::store::sql {

namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view array_type(Type type) {
    switch (type) {
        case Type::text: return "text[]";
        case Type::bytes: return "bytea[]";
        default: return "bigint[]";
    }
}

std::string_view scalar_type(Type type) {
    switch (type) {
        case Type::text: return "text";
        case Type::bytes: return "bytea";
        default: return "bigint";
    }
}

class Renderer {
public:
    Renderer(std::string_view text, const Dialect& dialect, ParameterSet shared)
        : text_(text), dialect_(dialect), batched_(text.find("rows}") != std::string_view::npos), shared_(shared) {}

    Rendered run() {
        find_parameters();
        while (at_ < text_.size()) {
            if (text_[at_] == '{') {
                word();
            } else if (starts_parameter()) {
                parameter();
            } else {
                out_ += text_[at_++];
            }
        }
        return {std::move(out_), std::move(types_), batched_, sharable_, shared_};
    }

private:
    // A colon that is not part of a cast.
    [[nodiscard]] bool starts_parameter() const {
        return text_[at_] == ':' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]) &&
               (at_ == 0 || text_[at_ - 1] != ':');
    }

    // At a parameter: returns its number, and moves past its name and type.
    std::size_t take_parameter() {
        const auto begin = ++at_;
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
        const auto name = text_.substr(begin, at_ - begin);
        auto type = Type::integer;
        const auto rest = text_.substr(at_);
        if (rest.starts_with("::text")) {
            type = Type::text;
            at_ += 6;
        } else if (rest.starts_with("::bytea")) {
            type = Type::bytes;
            at_ += 7;
        }
        const auto known = std::ranges::find(names_, name);
        const auto number = static_cast<std::size_t>(known - names_.begin());
        if (known == names_.end()) {
            names_.emplace_back(name);
            types_.push_back(type);
        } else {
            assert(types_[number] == type && "a parameter must always have the same type");
        }
        return number;
    }

    void find_parameters() {
        const auto conditions = text_.find("WHERE");
        ParameterSet compared = 0;
        for (at_ = 0; at_ < text_.size();) {
            if (starts_parameter()) {
                const bool in_condition = at_ > conditions;
                const auto number = take_parameter();
                assert(number < 64);
                (in_condition ? compared : sharable_) |= ParameterSet{1} << number;
            } else if (text_[at_] == '{') {
                at_ = text_.find('}', at_);  // parameters inside a word are already known
            } else {
                ++at_;
            }
        }
        at_ = 0;
        const bool writes = text_.starts_with("INSERT") || text_.starts_with("UPDATE");
        sharable_ = batched_ && writes ? sharable_ & ~compared : 0;
    }

    [[nodiscard]] bool is_shared(std::size_t number) const { return (shared_ >> number & 1U) != 0; }

    void parameter() {
        const auto number = take_parameter();
        if (!dialect_.rows_as_arrays) {
            out_ += "?" + std::to_string(number + 1);
        } else if (batched_ && !is_shared(number)) {
            out_ += "r." + names_[number] + "_";
        } else {
            out_ += "$" + std::to_string(number + 1) + "::" + std::string(scalar_type(types_[number]));
        }
    }

    void word() {
        const auto end = text_.find('}', at_);
        assert(end != std::string_view::npos);
        const auto key = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (key.starts_with("any ")) return any(key.substr(4));
        if (key == "rows") return rows("FROM ");
        if (key == ", rows") return rows("CROSS JOIN ");
        if (key == "using rows") return rows("USING ");
        if (key == "each of rows") return each_of_rows();
        if (key == "values") return void(out_ += dialect_.rows_as_arrays ? "SELECT" : "VALUES (");
        if (key == "end values, rows") return dialect_.rows_as_arrays ? rows("FROM ") : void(out_ += ")");
        const auto found =
            std::ranges::find(dialect_.words, key, &std::pair<std::string_view, std::string_view>::first);
        assert(found != dialect_.words.end() && "the dialect does not have this word");
        if (found != dialect_.words.end()) out_ += found->second;
    }

    // `table.column = :name`
    void any(std::string_view condition) {
        if (!dialect_.rows_as_arrays) return;
        const auto colon = condition.find(':');
        const auto known = std::ranges::find(names_, condition.substr(colon + 1));
        assert(known != names_.end());
        const auto number = static_cast<std::size_t>(known - names_.begin());
        out_ += "AND " + std::string(condition.substr(0, colon)) + "ANY ($" + std::to_string(number + 1) +
                "::" + std::string(array_type(types_[number])) + ")";
    }

    void each_of_rows() {
        rows("FROM ");
        out_ += dialect_.rows_as_arrays ? " CROSS JOIN LATERAL (" : "FROM (";
    }

    void rows(std::string_view before) {
        if (!dialect_.rows_as_arrays) return;
        std::string arrays;
        std::string columns;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (is_shared(i)) continue;
            if (!arrays.empty()) arrays += ", ", columns += ", ";
            arrays += "$" + std::to_string(i + 1) + "::" + std::string(array_type(types_[i]));
            columns += names_[i] + "_";
        }
        out_ += std::string(before) + "unnest(" + arrays + ") AS r(" + columns + ")";
    }

    std::string_view text_;
    const Dialect& dialect_;
    bool batched_;
    ParameterSet shared_;
    ParameterSet sharable_ = 0;
    std::size_t at_ = 0;
    std::vector<std::string> names_ = {};
    std::vector<Type> types_ = {};
    std::string out_ = {};
};

}  // namespace

Rendered render(std::string_view text, const Dialect& dialect, ParameterSet shared) {
    return Renderer(text, dialect, shared).run();
}

ParameterSet shared_by_rows(const Rendered& statement, const Batch& batch) {
    ParameterSet shared = 0;
    ParameterSet all = 0;
    for (std::size_t column = 0; column < statement.parameters.size(); ++column) {
        const auto bit = ParameterSet{1} << column;
        all |= bit;
        if ((statement.sharable & bit) == 0) continue;
        std::size_t row = 1;
        while (row < batch.rows() && batch.at(row, column) == batch.at(0, column)) ++row;
        if (row == batch.rows()) shared |= bit;
    }
    // One array remains, with the number of rows.
    return shared == all ? shared & (shared - 1) : shared;
}

}  // namespace belfry::store::sql
