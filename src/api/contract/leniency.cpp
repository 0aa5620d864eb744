#include "api/contract/leniency.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/http/percent.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::api {

namespace {

using Kind = Shape::Kind;

constexpr std::size_t kPointerMax = 200;  // bytes of one pointer in the header

class Loosening {
public:
    void value(Json& json, const Shape& shape, const std::string& at) {
        const bool holds_members = shape.kind == Kind::object || shape.kind == Kind::map;
        if (holds_members && json.is_array() && json.get_array().empty()) json = boost::json::object();
        if (shape.kind == Kind::integer) return integer(json);
        if (shape.kind == Kind::boolean) return boolean(json);
        if (shape.kind == Kind::list && json.is_array()) return elements(json.get_array(), shape, at);
        // A number with many digits is stored as an object.
        if (!holds_members || kind_of(json) != JsonKind::object) return;
        if (shape.kind == Kind::object) return members(json.get_object(), shape, at);
        for (auto& member : json.get_object()) value(member.value(), *shape.of, at + pointer_step(member.key()));
    }

    [[nodiscard]] std::vector<std::string> take() { return std::move(ignored_); }

private:
    static void integer(Json& json) {
        if (!json.is_string()) return;
        if (const auto number = parse_integer(std::string_view(json.get_string()))) json = *number;
    }

    static void boolean(Json& json) {
        if (json.is_bool() || json.is_structured() || json.is_null()) return;
        const auto text = json.is_string() ? std::string(std::string_view(json.get_string())) : to_text(json);
        if (text == "1" || text == "true") json = true;
        if (text == "0" || text == "false") json = false;
    }

    void elements(boost::json::array& array, const Shape& shape, const std::string& at) {
        for (std::size_t i = 0; i < array.size(); ++i) value(array[i], *shape.of, at + '/' + std::to_string(i));
    }

    void members(boost::json::object& object, const Shape& shape, const std::string& at) {
        std::vector<std::string> unknown;
        for (auto& member : object) {
            const auto known = std::ranges::find(shape.members, std::string_view(member.key()), &Member::name);
            if (known == shape.members.end()) {
                unknown.emplace_back(member.key());
            } else {
                value(member.value(), *known->shape, at + pointer_step(member.key()));
            }
        }
        for (const auto& name : unknown) {
            object.erase(name);
            ignored_.push_back(at + pointer_step(name));
        }
    }

    std::vector<std::string> ignored_ = {};
};

}  // namespace

std::vector<std::string> loosen(Json& json, const Shape& shape) {
    Loosening loosening;
    loosening.value(json, shape, {});
    return loosening.take();
}

std::string ignored_text(const std::vector<std::string>& ignored) {
    std::string text;
    for (std::size_t i = 0; i < ignored.size() && i < kErrorsMax; ++i) {
        text += i == 0 ? "" : ", ";
        // The steps of a pointer stay readable.
        for (const char c : ignored[i].substr(0, kPointerMax))
            text += c == '/' || c == '?' ? std::string(1, c) : percent_encode({&c, 1});
    }
    return text;
}

}  // namespace belfry::api
