#include <algorithm>
#include <boost/json/object.hpp>
#include <limits>

#include "base/ascii.hpp"
#include "base/duration.hpp"
#include "base/json_pointer.hpp"
#include "base/json_words.hpp"
#include "base/nearest.hpp"
#include "model/schedule_json.hpp"
#include "model/schedule_json_members.hpp"

namespace belfry::model {

namespace {

using Failure = std::optional<Error>;

// How the text of a name or a time becomes its value.
template <typename T>
constexpr auto kParse = nullptr;
template <>
constexpr auto kParse<Instant> = &parse_instant;
template <>
constexpr auto kParse<Micros> = &parse_iso_duration;
template <>
constexpr auto kParse<OverlapPolicy> = &parse_overlap_policy;
template <>
constexpr auto kParse<MissedPolicy> = &parse_missed_policy;
template <>
constexpr auto kParse<FailureMode> = &parse_failure_mode;
template <>
constexpr auto kParse<ApprovalMode> = &parse_approval_mode;
template <>
constexpr auto kParse<FailureCategory> = &parse_failure_category;
template <>
constexpr auto kParse<TargetType> = &parse_target_type;
template <>
constexpr auto kParse<spec::GapRule> = &spec::parse_gap_rule;
template <>
constexpr auto kParse<spec::RepeatRule> = &spec::parse_repeat_rule;
template <>
constexpr auto kParse<spec::CalendarKind> = &spec::parse_calendar_kind;

template <typename T>
concept ParsedFromText = !std::same_as<std::remove_const_t<decltype(kParse<T>)>, std::nullptr_t>;

Failure require_kind(const Json& json, JsonKind kind) {
    if (kind_of(json) == kind) return std::nullopt;
    return invalid(std::string("must be ") + words_for(kind) + ", not " + words_for(kind_of(json)));
}

Failure read_integer(const Json& json, std::int64_t least, std::int64_t most, std::int64_t& out) {
    if (auto failure = require_kind(json, JsonKind::number)) return failure;
    boost::json::error_code code;
    out = json.to_number<std::int64_t>(code);
    if (!code && out >= least && out <= most) return std::nullopt;
    return invalid("must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

Error missing(const std::string& name) { return in_field(invalid(in_quotes(name) + " is missing; add it"), pointer_step(name)); }

Error unknown(std::string_view name, const std::vector<std::string>& known) {
    const auto meant = nearest(name, known);
    return in_field(invalid("there is no member " + in_quotes(name) + "; " + (meant ? "did you mean " + in_quotes(*meant) + "?" : "remove it")),
                    pointer_step(name));
}

// Reads a value into `out`, which is as its type constructs it by default. After a failure `out` may be half read.
class Reader {
public:
    static Failure read(const Json& json, std::same_as<Json> auto& out) {
        out = json;
        return std::nullopt;
    }

    static Failure read(const Json& json, std::string& out) {
        if (auto failure = require_kind(json, JsonKind::string)) return failure;
        out = std::string_view(json.get_string());
        return std::nullopt;
    }

    static Failure read(const Json& json, bool& out) {
        if (auto failure = require_kind(json, JsonKind::boolean)) return failure;
        out = json.get_bool();
        return std::nullopt;
    }

    template <std::signed_integral T>
    static Failure read(const Json& json, T& out) {
        std::int64_t number = 0;
        auto failure = read_integer(json, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), number);
        if (!failure) out = static_cast<T>(number);
        return failure;
    }

    // As bounded as durations in text are, so that no sum overflows.
    static Failure read(const Json& json, std::chrono::milliseconds& out) {
        std::int64_t count = 0;
        auto failure = read_integer(json, 0, std::chrono::floor<std::chrono::milliseconds>(kDurationMax).count(), count);
        if (!failure) out = std::chrono::milliseconds{count};
        return failure;
    }

    template <ParsedFromText T>
    static Failure read(const Json& json, T& out) {
        if (auto failure = require_kind(json, JsonKind::string)) return failure;
        auto parsed = kParse<T>(std::string_view(json.get_string()));
        if (!parsed) return parsed.error();
        out = *parsed;
        return std::nullopt;
    }

    template <typename T>
    static Failure read(const Json& json, std::optional<T>& out) {
        return json.is_null() ? std::nullopt : read(json, out.emplace());
    }

    template <typename T>
    static Failure read(const Json& json, std::vector<T>& out) {
        if (auto failure = require_kind(json, JsonKind::array)) return failure;
        for (const auto& element : json.get_array()) {
            if (auto failure = read(element, out.emplace_back())) return in_field(*failure, '/' + std::to_string(out.size() - 1));
        }
        return std::nullopt;
    }

    static Failure read(const Json& json, std::map<std::string, std::string>& out) {
        if (auto failure = require_kind(json, JsonKind::object)) return failure;
        for (const auto& member : json.get_object()) {
            if (auto failure = read(member.value(), out[member.key()])) return in_field(*failure, pointer_step(member.key()));
        }
        return std::nullopt;
    }

    static Failure read(const Json& json, EmptyIsNull<std::string> out) { return json.is_null() ? std::nullopt : read(json, out.text); }

    static Failure read(const Json& json, AnyObject<Json> out) {
        out.json = json;
        return require_kind(json, JsonKind::object);
    }

    static Failure read(const Json& json, Boxed<std::optional<int>> out) {
        if (json.is_null()) return std::nullopt;
        out.number.emplace();
        return read_members(json, out);
    }

    template <HasMembers T>
    static Failure read(const Json& json, T& out) {
        return read_members(json, out);
    }

private:
    // All members are visited, because the names of the later ones say what is unknown. A value that is wrong comes before a
    // name that is wrong, since it may be the type that names another member; a lack comes last, since the name may be misspelt.
    static Failure read_members(const Json& json, auto& out) {
        if (auto failure = require_kind(json, JsonKind::object)) return failure;
        const auto& object = json.get_object();
        std::vector<std::string> names;
        Failure wrong;
        Failure lack;
        visit_members(out, [&](const char* name, auto&& member, Presence presence = Presence::optional) {
            names.emplace_back(name);
            if (const auto* const value = object.if_contains(name)) {
                auto failure = wrong ? std::nullopt : read(*value, member);
                if (failure) wrong = in_field(*failure, pointer_step(name));
            } else if (presence == Presence::required && !lack) {
                lack = missing(name);
            }
        });
        if (wrong) return wrong;
        for (const auto& member : object) {
            if (std::ranges::find(names, std::string_view(member.key())) == names.end()) return unknown(member.key(), names);
        }
        return lack;
    }
};

template <typename T>
Result<T> read_whole(const Json& json) {
    T value;
    if (auto failure = Reader::read(json, value)) return *failure;
    return value;
}

}  // namespace

Result<Schedule> schedule_from_json(const Json& json) { return read_whole<Schedule>(json); }
Result<spec::CalendarText> calendar_from_json(const Json& json) { return read_whole<spec::CalendarText>(json); }

}  // namespace belfry::model
