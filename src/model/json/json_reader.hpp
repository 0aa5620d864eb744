// Reads structs from JSON by their member tables (schedule_json_members.hpp, workflow_json_members.hpp). Accepts any
// JSON as input. Pure; never throws.
#pragma once

#include <algorithm>
#include <boost/json/object.hpp>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/json_words.hpp"
#include "base/text/nearest.hpp"
#include "base/time/duration.hpp"
#include "model/json/json_members.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/workflow.hpp"
#include "spec/calendar/calendar.hpp"

namespace belfry::model {

// The function that parses a type from text: names, instants and durations.
template <typename T>
constexpr auto kParse = nullptr;
template <>
constexpr inline auto kParse<Instant> = &parse_instant;
template <>
constexpr inline auto kParse<Micros> = &parse_duration;
template <>
constexpr inline auto kParse<OverlapPolicy> = &parse_overlap_policy;
template <>
constexpr inline auto kParse<MissedPolicy> = &parse_missed_policy;
template <>
constexpr inline auto kParse<WorkerLostPolicy> = &parse_worker_lost_policy;
template <>
constexpr inline auto kParse<FailureMode> = &parse_failure_mode;
template <>
constexpr inline auto kParse<ApprovalMode> = &parse_approval_mode;
template <>
constexpr inline auto kParse<FailureCategory> = &parse_failure_category;
template <>
constexpr inline auto kParse<TargetType> = &parse_target_type;
template <>
constexpr inline auto kParse<NodeKind> = &parse_node_kind;
template <>
constexpr inline auto kParse<spec::GapRule> = &spec::parse_gap_rule;
template <>
constexpr inline auto kParse<spec::RepeatRule> = &spec::parse_repeat_rule;
template <>
constexpr inline auto kParse<spec::CalendarKind> = &spec::parse_calendar_kind;

template <typename T>
concept ParsedFromText = !std::same_as<std::remove_const_t<decltype(kParse<T>)>, std::nullptr_t>;

[[nodiscard]] inline std::optional<Error> require_kind(const Json& json, JsonKind kind) {
    if (kind_of(json) == kind) return std::nullopt;
    return invalid(std::string("must be ") + words_for(kind) + ", not " + words_for(kind_of(json)));
}

[[nodiscard]] inline Error missing_member(const std::string& name) {
    return in_field(invalid(in_quotes(name) + " is missing; add it"), pointer_step(name));
}

[[nodiscard]] inline Error unknown_member(std::string_view name, const std::vector<std::string>& known) {
    const auto meant = nearest(name, known);
    return in_field(invalid("there is no member " + in_quotes(name) + "; " +
                            (meant ? "did you mean " + in_quotes(*meant) + "?" : "remove it")),
                    pointer_step(name));
}

// The meaning of null for a member that is neither free JSON nor optional.
enum class JsonNulls : std::uint8_t { refused, absent };

class JsonReader {
public:
    explicit JsonReader(JsonNulls nulls) : nulls_(nulls) {}

    // Reports every error at once: the first one, with the others attached to it.
    template <typename T>
    [[nodiscard]] Result<T> read_whole(const Json& json) const {
        T value;
        if (auto failure = read(json, value)) return std::move(*failure);
        return value;
    }

private:
    using Failure = std::optional<Error>;

    // Each overload reads a value into `out`, which starts default-constructed. After a failure, `out` may be partly
    // filled.

    [[nodiscard]] Failure read(const Json& json, std::same_as<Json> auto& out) const {
        out = json;
        return std::nullopt;
    }

    [[nodiscard]] Failure read(const Json& json, std::string& out) const {
        if (auto failure = require_kind(json, JsonKind::string)) return failure;
        out = std::string_view(json.get_string());
        return std::nullopt;
    }

    [[nodiscard]] Failure read(const Json& json, bool& out) const {
        if (auto failure = require_kind(json, JsonKind::boolean)) return failure;
        out = json.get_bool();
        return std::nullopt;
    }

    template <std::signed_integral T>
    [[nodiscard]] Failure read(const Json& json, T& out) const {
        std::int64_t number = 0;
        auto failure = read_integer(json, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), number);
        if (!failure) out = static_cast<T>(number);
        return failure;
    }

    // The same bounds as durations in text, so that no sum overflows.
    [[nodiscard]] Failure read(const Json& json, std::chrono::milliseconds& out) const {
        std::int64_t count = 0;
        auto failure =
            read_integer(json, 0, std::chrono::floor<std::chrono::milliseconds>(kDurationMax).count(), count);
        if (!failure) out = std::chrono::milliseconds{count};
        return failure;
    }

    template <ParsedFromText T>
    [[nodiscard]] Failure read(const Json& json, T& out) const {
        if (auto failure = require_kind(json, JsonKind::string)) return failure;
        auto parsed = kParse<T>(std::string_view(json.get_string()));
        if (!parsed) return parsed.error();
        out = *parsed;
        return std::nullopt;
    }

    template <typename T>
    [[nodiscard]] Failure read(const Json& json, std::optional<T>& out) const {
        return json.is_null() ? std::nullopt : read(json, out.emplace());
    }

    template <typename T>
    [[nodiscard]] Failure read(const Json& json, std::vector<T>& out) const {
        if (auto failure = require_kind(json, JsonKind::array)) return failure;
        Errors errors;
        for (const auto& element : json.get_array()) {
            if (auto failure = read(element, out.emplace_back()))
                errors.push_back(in_field(*failure, '/' + std::to_string(out.size() - 1)));
        }
        return together_if_any(std::move(errors));
    }

    [[nodiscard]] Failure read(const Json& json, std::map<std::string, std::string>& out) const {
        if (auto failure = require_kind(json, JsonKind::object)) return failure;
        Errors errors;
        for (const auto& member : json.get_object()) {
            if (auto failure = read(member.value(), out[member.key()]))
                errors.push_back(in_field(*failure, pointer_step(member.key())));
        }
        return together_if_any(std::move(errors));
    }

    [[nodiscard]] Failure read(const Json& json, EmptyIsNull<std::string> out) const {
        return json.is_null() ? std::nullopt : read(json, out.text);
    }

    [[nodiscard]] Failure read(const Json& json, AnyObject<Json> out) const {
        out.json = json;
        return require_kind(json, JsonKind::object);
    }

    [[nodiscard]] Failure read(const Json& json, OrAuto<std::optional<Micros>> out) const {
        out.duration.reset();
        return json.is_string() && json.get_string() == "auto" ? std::nullopt : read(json, out.duration.emplace());
    }

    template <typename T>
    [[nodiscard]] Failure read(const Json& json, LeftOutIfEmpty<T> out) const {
        return read(json, out.values);
    }

    [[nodiscard]] Failure read(const Json& json, BreakerBox<std::optional<int>, std::optional<Micros>> out) const {
        if (json.is_null()) return std::nullopt;
        out.failures.emplace();
        return read_members(json, out);
    }

    template <HasMembers T>
    [[nodiscard]] Failure read(const Json& json, T& out) const {
        return read_members(json, out);
    }

    [[nodiscard]] static Failure read_integer(const Json& json, std::int64_t least, std::int64_t most,
                                              std::int64_t& out) {
        if (auto failure = require_kind(json, JsonKind::number)) return failure;
        boost::json::error_code code;
        out = json.to_number<std::int64_t>(code);
        if (!code && out >= least && out <= most) return std::nullopt;
        return invalid("must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }

    // Visits all members, because unknown members can be identified only when all names are known. Errors are in this
    // order: wrong values first, because a wrong `type` can change the names of other members; then unknown names;
    // then missing members, because an unknown name may be the misspelt missing one.
    [[nodiscard]] Failure read_members(const Json& json, auto& out) const {
        if (auto failure = require_kind(json, JsonKind::object)) return failure;
        const auto& object = json.get_object();
        std::vector<std::string> names;
        Errors errors;
        Errors lacks;
        visit_members(out, [&](const char* name, auto&& member, MemberRow row = {}) {
            names.emplace_back(name);
            const auto* const value = object.if_contains(name);
            if (value == nullptr || (value->is_null() && nulls_ == JsonNulls::absent)) {
                if (row.presence == Presence::required) lacks.push_back(missing_member(name));
            } else if (auto failure = read(*value, member)) {
                errors.push_back(in_field(std::move(*failure), pointer_step(name)));
            }
        });
        for (const auto& member : object) {
            if (std::ranges::find(names, std::string_view(member.key())) == names.end())
                errors.push_back(unknown_member(member.key(), names));
        }
        std::move(lacks.begin(), lacks.end(), std::back_inserter(errors));
        return together_if_any(std::move(errors));
    }

    JsonNulls nulls_;
};

}  // namespace belfry::model
