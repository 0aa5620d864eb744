// What the tables of members are made of: the names that the members of a struct have in JSON, in one table per struct,
// which the writer and the reader both walk, so that they cannot differ.
//
// A table is visit_members(value, visit). It binds all members of its struct, so that a new member without a name does not
// compile, and calls visit(name, member, presence) in the order in which the members are written.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace belfry::model {

enum class Presence : std::uint8_t {
    optional,  // absent means the default
    required,  // there is no default that would mean anything
};

// The same table serves a struct that is written (const) and one that is read.
template <typename T, typename Struct>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Struct>;

// --- Members whose JSON differs from what their type says. T may be const. -------------------------------------------

// An empty text is null.
template <typename T>
struct EmptyIsNull {
    T& text;
};
template <typename T>
EmptyIsNull(T&) -> EmptyIsNull<T>;

// Free JSON, as long as it is an object.
template <typename T>
struct AnyObject {
    T& json;
};
template <typename T>
AnyObject(T&) -> AnyObject<T>;

// A duration, or `auto` when there is none.
template <typename T>
struct OrAuto {
    T& duration;
};
template <typename T>
OrAuto(T&) -> OrAuto<T>;

// The two members of a breaker in an object of its own; null without the first. The second is left out when there is none.
template <typename Failures, typename Wait>
struct BreakerBox {
    Failures& failures;
    Wait& retry_after;
};
template <typename Failures, typename Wait>
BreakerBox(Failures&, Wait&) -> BreakerBox<Failures, Wait>;

template <typename Failures, typename Wait>
void visit_members(BreakerBox<Failures, Wait>& breaker, auto&& visit) {
    visit("maxConsecutiveFailures", *breaker.failures, Presence::required);
    visit("retryAfter", breaker.retry_after);
}

// A list that is left out while it is empty.
template <typename T>
struct LeftOutIfEmpty {
    T& values;
};
template <typename T>
LeftOutIfEmpty(T&) -> LeftOutIfEmpty<T>;

template <typename T>
constexpr bool is_left_out(const T&) {
    return false;
}
template <typename T>
bool is_left_out(const LeftOutIfEmpty<T>& list) {
    return list.values.empty();
}

// A struct with a table above.
template <typename T>
concept HasMembers = requires(T& value) {
    visit_members(value, [](auto&&...) {});
};

}  // namespace belfry::model
