// Building blocks for member tables. Each struct has one table with the JSON names of its members. The writer and the
// reader use the same table, so they cannot differ.
//
// A table is a function visit_members(value, visit). It binds every member of its struct, so a new member without a
// JSON name does not compile. It calls visit(name, member, row) in the order in which the members are written; `row`
// may be left out.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace belfry::model {

enum class Presence : std::uint8_t {
    optional,  // an absent member has its default
    required,  // the member has no meaningful default
};

enum class SetBy : std::uint8_t { client, server };

// What a row of a table says besides the name and the member.
struct MemberRow {
    Presence presence = Presence::optional;
    SetBy set_by = SetBy::client;
    const char* changes = nullptr;  // the name under which an audit event lists a change; null: the member's own
};

// A table accepts a const struct for writing and a mutable one for reading.
template <typename T, typename Struct>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Struct>;

// --- Members whose JSON does not follow from their type. T may be const. --------------------------------------------

// Empty text is null.
template <typename T>
struct EmptyIsNull {
    T& text;
};
template <typename T>
EmptyIsNull(T&) -> EmptyIsNull<T>;

// Any JSON object.
template <typename T>
struct AnyObject {
    T& json;
};
template <typename T>
AnyObject(T&) -> AnyObject<T>;

// A duration; `auto` if it is empty.
template <typename T>
struct OrAuto {
    T& duration;
};
template <typename T>
OrAuto(T&) -> OrAuto<T>;

// The two breaker members as one object; null if `failures` is empty.
template <typename Failures, typename Wait>
struct BreakerBox {
    Failures& failures;
    Wait& retry_after;
};
template <typename Failures, typename Wait>
BreakerBox(Failures&, Wait&) -> BreakerBox<Failures, Wait>;

template <typename Failures, typename Wait>
void visit_members(BreakerBox<Failures, Wait>& breaker, auto&& visit) {
    visit("maxConsecutiveFailures", *breaker.failures, {Presence::required});
    visit("retryAfter", breaker.retry_after);
}

// A list or a text that is omitted if it is empty.
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

// A struct that has a member table.
template <typename T>
concept HasMembers = requires(T& value) {
    visit_members(value, [](auto&&...) {});
};

}  // namespace belfry::model
