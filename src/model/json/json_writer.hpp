// Writes structs as JSON by their member tables (schedule_json_members.hpp, workflow_json_members.hpp). Pure.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <map>
#include <vector>

#include "base/text/json.hpp"
#include "base/time/duration.hpp"
#include "model/json/json_members.hpp"

namespace belfry::model {

enum class JsonShape : std::uint8_t {
    whole,
    compact,  // omits members with the default value of their struct, at every level
};

// One overload per type of member. Copies free JSON unchanged: only structs have defaults to omit.
class JsonWriter {
public:
    explicit JsonWriter(JsonShape shape) : shape_(shape) {}

    [[nodiscard]] Json write(const std::same_as<Json> auto& json) const { return json; }
    [[nodiscard]] Json write(const std::string& text) const { return boost::json::string(text); }
    [[nodiscard]] Json write(std::integral auto number) const { return Json(number); }
    [[nodiscard]] Json write(Instant instant) const { return boost::json::string(format_instant(instant)); }
    [[nodiscard]] Json write(Micros duration) const { return boost::json::string(format_duration(duration)); }
    [[nodiscard]] Json write(std::chrono::milliseconds duration) const { return duration.count(); }

    template <typename Enum>
    requires std::is_enum_v<Enum>
    [[nodiscard]] Json write(Enum value) const { return Json(name_of(value)); }

    template <typename T>
    [[nodiscard]] Json write(const std::optional<T>& value) const {
        return value ? write(*value) : Json(nullptr);
    }

    template <typename T>
    [[nodiscard]] Json write(const std::vector<T>& values) const {
        boost::json::array array;
        for (const auto& value : values) array.push_back(write(value));
        return array;
    }

    [[nodiscard]] Json write(const std::map<std::string, std::string>& texts) const {
        boost::json::object object;
        for (const auto& [key, text] : texts) object[key] = text;
        return object;
    }

    template <typename T>
    [[nodiscard]] Json write(EmptyIsNull<T> member) const {
        return member.text.empty() ? Json(nullptr) : Json(member.text);
    }

    template <typename T>
    [[nodiscard]] Json write(AnyObject<T> member) const {
        return member.json;
    }

    template <typename T>
    [[nodiscard]] Json write(OrAuto<T> member) const {
        return member.duration ? write(*member.duration) : Json("auto");
    }

    template <typename Failures, typename Wait>
    [[nodiscard]] Json write(BreakerBox<Failures, Wait> member) const {
        if (!member.failures) return nullptr;
        boost::json::object object{{"maxConsecutiveFailures", *member.failures}};
        if (member.retry_after || shape_ == JsonShape::whole) object["retryAfter"] = write(member.retry_after);
        return object;
    }

    template <typename T>
    [[nodiscard]] Json write(LeftOutIfEmpty<T> member) const {
        return write(member.values);
    }

    template <HasMembers T>
    [[nodiscard]] Json write(const T& value) const {
        if (shape_ == JsonShape::whole) return members_of(value);
        static const auto usual = JsonWriter(JsonShape::compact).members_of(T{});
        boost::json::object object;
        visit_members(value, [&](const char* name, const auto& member, MemberRow row = {}) {
            if (is_left_out(member)) return;
            auto json = write(member);
            const auto* const ordinary = usual.if_contains(name);
            if (row.presence == Presence::required || ordinary == nullptr || !same_json(json, *ordinary))
                object.emplace(name, std::move(json));
        });
        return object;
    }

private:
    template <HasMembers T>
    [[nodiscard]] boost::json::object members_of(const T& value) const {
        boost::json::object object;
        visit_members(value, [&](const char* name, const auto& member, MemberRow = {}) {
            if (!is_left_out(member)) object[name] = write(member);
        });
        return object;
    }

    JsonShape shape_;
};

}  // namespace belfry::model
