#include "decide/schedule/condition.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>

#include "base/errors.hpp"
#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"
#include "base/time/instant.hpp"

namespace belfry::decide {

namespace {

namespace bj = boost::json;

constexpr std::size_t kShownMax = 80;  // bytes of a value in a reason: enough to recognize it
constexpr const char* kOperators = "eq, neq, gt, lt or contains";

Error at_clause(std::string_view path, const std::string& message) {
    return Error{ErrorCode::invalid_argument, "condition on " + in_quotes(path) + ": " + message, pointer_step(path)};
}

std::string unknown_operator(std::string_view name) {
    static const std::array<std::string, 5> kNames{"eq", "neq", "gt", "lt", "contains"};
    const auto meant = nearest(name, kNames);
    return "there is no operator " + in_quotes(name) + "; " +
           (meant ? "did you mean " + in_quotes(*meant) + "? " : "") + "use " + kOperators;
}

// Counts the value itself and all values inside it.
std::size_t count_values(const Json& value) {
    std::size_t count = 1;
    if (const auto* const array = value.if_array()) {
        for (const auto& element : *array) count += count_values(element);
    } else if (const auto* const object = value.if_object()) {
        for (const auto& member : *object) count += count_values(member.value());
    }
    return count;
}

// JSON containment: objects have at least the wanted members, arrays at least the wanted elements, anything else is
// equal.
bool covers(const Json& value, const Json& wanted) {
    const auto kind = kind_of(wanted);
    if (kind != kind_of(value)) return false;
    if (kind == JsonKind::object) {
        return std::ranges::all_of(wanted.get_object(), [&value](const auto& member) {
            const auto* const found = value.get_object().if_contains(member.key());
            return found != nullptr && covers(*found, member.value());
        });
    }
    if (kind == JsonKind::array) {
        return std::ranges::all_of(wanted.get_array(), [&value](const Json& part) {
            return std::ranges::any_of(value.get_array(),
                                       [&part](const Json& element) { return covers(element, part); });
        });
    }
    return same_json(value, wanted);
}

bool contains(const Json& value, const Json& wanted) {
    if (const auto* const array = value.if_array()) {
        return std::ranges::any_of(*array, [&wanted](const Json& element) { return covers(element, wanted); });
    }
    if (!value.is_string() || !wanted.is_string()) return false;
    return std::string_view(value.get_string()).find(std::string_view(wanted.get_string())) != std::string_view::npos;
}

std::optional<Instant> instant_in(const Json& value) {
    if (!value.is_string()) return std::nullopt;
    const auto instant = parse_instant(std::string_view(value.get_string()));
    return instant ? std::optional(*instant) : std::nullopt;
}

std::partial_ordering compare(const Json& a, const Json& b) {
    const auto instant_a = instant_in(a);
    const auto instant_b = instant_in(b);
    if (instant_a && instant_b) return *instant_a <=> *instant_b;
    return compare_numbers(a, b);
}

// The text up to kShownMax bytes, not cut inside a UTF-8 character.
std::string shown(std::string text) {
    if (text.size() <= kShownMax) return text;
    auto end = kShownMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

// A pointer may contain control characters; JSON escapes make them visible.
std::string shown_path(const std::string& path) {
    if (path.empty()) return "the context";
    const auto quoted = to_text(Json(path));
    return shown(quoted.substr(1, quoted.size() - 2));
}

// "greater than 1", and the type that is needed for a comparison if the found value has another.
std::string order_demand(const char* relation, const char* time_relation, const Json* found, const Json& operand) {
    const auto wanted = shown(to_text(operand));
    if (instant_in(operand)) {
        const bool time = found == nullptr || instant_in(*found);
        return std::string(time ? "must be " : "must be an RFC 3339 time ") + time_relation + " " + wanted;
    }
    if (kind_of(operand) == JsonKind::number) {
        const bool number = found == nullptr || kind_of(*found) == JsonKind::number;
        return std::string(number ? "must be " : "must be a number ") + relation + " " + wanted;
    }
    return std::string("must be ") + relation + " " + wanted + ", but only numbers and RFC 3339 times have an order";
}

}  // namespace

Result<Condition> Condition::parse(const Json& condition) {
    if (kind_of(condition) != JsonKind::object) {
        return invalid(
            R"(condition: use an object of JSON pointers, for example {"/last_24h_stats/failed": {"lt": 3}}, )"
            R"(or {} for none)");
    }
    const auto& members = condition.get_object();
    if (members.size() > kClausesMax) {
        return invalid("condition: " + std::to_string(members.size()) + " clauses are too many; use at most " +
                       std::to_string(kClausesMax));
    }
    Condition result;
    std::size_t contains_values = 0;
    Errors errors;
    for (const auto& [path, clause] : members) {
        auto parsed = parse_clause(path, clause);
        if (!parsed) {
            errors.push_back(parsed.error());
            continue;
        }
        if (parsed->op == Operator::contains) contains_values += count_values(parsed->operand);
        if (contains_values > kContainsValuesMax) {
            return at_clause(path, "too many values with contains; use at most " + std::to_string(kContainsValuesMax) +
                                       " in one condition");
        }
        result.clauses_.push_back(std::move(*parsed));
    }
    if (!errors.empty()) return combine_errors(std::move(errors));
    return result;
}

// clause = pointer ":" "{" ("eq" / "neq" / "gt" / "lt" / "contains") ":" value "}"
Result<Condition::Clause> Condition::parse_clause(std::string_view path, const Json& clause) {
    struct Name {
        std::string_view text;
        Operator op;
    };
    constexpr std::array kNames{Name{"eq", Operator::eq}, Name{"neq", Operator::neq}, Name{"gt", Operator::gt},
                                Name{"lt", Operator::lt}, Name{"contains", Operator::contains}};

    auto pointer = JsonPointer::parse(path);
    if (!pointer)
        return Error{ErrorCode::invalid_argument, "condition: " + pointer.error().message, pointer_step(path)};
    if (kind_of(clause) != JsonKind::object)
        return at_clause(path, R"(use an object with one operator, for example {"eq": 1})");
    const auto& members = clause.get_object();
    if (members.size() != 1) {
        return at_clause(path,
                         "use exactly one of " + std::string(kOperators) + ", not " + std::to_string(members.size()));
    }
    const auto& [name, operand] = *members.begin();
    const auto known = std::ranges::find(kNames, std::string_view(name), &Name::text);
    if (known == kNames.end()) return at_clause(path, unknown_operator(name));
    if (known->op == Operator::contains && operand.is_string() && operand.get_string().size() > kContainsTextMax) {
        return at_clause(path, "with contains use at most " + std::to_string(kContainsTextMax) + " bytes of text");
    }
    return Clause{std::move(*pointer), known->op, operand};
}

bool Condition::Clause::holds(const Json& context) const {
    const auto* const found = path.find(context);
    if (found == nullptr) return op == Operator::neq;
    switch (op) {
        case Operator::eq: return same_json(*found, operand);
        case Operator::neq: return !same_json(*found, operand);
        case Operator::gt: return compare(*found, operand) > 0;
        case Operator::lt: return compare(*found, operand) < 0;
        case Operator::contains: return contains(*found, operand);
    }
    return false;
}

// What the clause requires of the found value (null: none was found).
std::string Condition::Clause::demand(const Json* found) const {
    switch (op) {
        case Operator::eq: return "must be " + shown(to_text(operand));
        case Operator::neq: return "must not be " + shown(to_text(operand));
        case Operator::gt: return order_demand("greater than", "after", found, operand);
        case Operator::lt: return order_demand("less than", "before", found, operand);
        case Operator::contains: break;
    }
    return "must contain " + shown(to_text(operand));
}

const Condition::Clause* Condition::find_failing(const Json& context) const {
    const auto failing =
        std::ranges::find_if(clauses_, [&context](const Clause& clause) { return !clause.holds(context); });
    return failing == clauses_.end() ? nullptr : &*failing;
}

std::optional<std::string> Condition::first_failing(const Json& context) const {
    const auto* const clause = find_failing(context);
    if (clause == nullptr) return std::nullopt;
    const auto* const found = clause->path.find(context);
    const auto value = found == nullptr ? std::string("missing") : shown(to_text(*found));
    return shown_path(clause->path.text()) + " is " + value + ", " + clause->demand(found);
}

Json condition_context(const Json& prior_run_result, RunStats last_24h, const Json& signal_result) {
    bj::object stats;
    stats["succeeded"] = last_24h.succeeded;
    stats["failed"] = last_24h.failed;
    stats["total"] = last_24h.total;
    bj::object context;
    context["prior_run_result"] = prior_run_result;
    context["last_24h_stats"] = std::move(stats);
    context["signal_rpc_result"] = signal_result;
    return context;
}

}  // namespace belfry::decide
