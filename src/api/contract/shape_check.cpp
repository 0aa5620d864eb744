#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/shape.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/json_words.hpp"
#include "base/text/nearest.hpp"
#include "base/text/parse_integer.hpp"
#include "model/schedule/credits.hpp"

namespace belfry::api {

namespace {

using Kind = Shape::Kind;

JsonKind json_kind(Kind kind) {
    switch (kind) {
        case Kind::text: return JsonKind::string;
        case Kind::integer:
        case Kind::decimal: return JsonKind::number;
        case Kind::boolean: return JsonKind::boolean;
        case Kind::list: return JsonKind::array;
        default: return JsonKind::object;
    }
}

Error out_of_bounds(const Shape& shape) {
    constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
    const auto least = std::to_string(shape.least);
    if (shape.most == kNoLimit) return invalid("must be a whole number of at least " + least);
    return invalid("must be a whole number from " + least + " to " + std::to_string(shape.most));
}

Error too_many(std::size_t size, std::int64_t most, const char* what) {
    return invalid("has " + std::to_string(size) + " " + what + "; send at most " + std::to_string(most));
}

std::optional<Error> check_text(std::string_view text, const Shape& shape, Side side) {
    if (storable(text) != text) return invalid("must not contain the character U+0000");
    // A name that was stored before a rule for names existed can still be returned.
    if (side == Side::answer && shape.check == &check_name) return std::nullopt;
    if (shape.check != nullptr) return shape.check(text);
    if (!shape.choices.empty() && std::ranges::find(shape.choices, text) == shape.choices.end()) {
        std::string all;
        for (const auto& choice : shape.choices) all += (all.empty() ? "" : ", ") + choice;
        return invalid(in_quotes(text) + " is none of " + all);
    }
    if (static_cast<std::int64_t>(text.size()) > shape.most) return too_many(text.size(), shape.most, "bytes");
    return std::nullopt;
}

// Compares a value with its shape, recursively.
class Walk {
public:
    explicit Walk(Side side) : side_(side) {}

    void value(const Json& json, const Shape& shape, const std::string& at) {
        if (errors_.size() >= kErrorsMax) return;
        if (shape.kind == Kind::anything) return size(json, shape, at);
        if (json.is_null() && (side_ == Side::request || shape.nullable)) return;
        if (kind_of(json) != json_kind(shape.kind)) {
            return fail(at, invalid(std::string("must be ") + words_for(json_kind(shape.kind)) + ", not " +
                                    words_for(kind_of(json))));
        }
        switch (shape.kind) {
            case Kind::text: return fail(at, check_text(json.get_string(), shape, side_));
            case Kind::integer: return number(json, shape, at);
            case Kind::decimal: return amount(json, at);
            case Kind::list: return list(json.get_array(), shape, at);
            case Kind::map: return map(json.get_object(), shape, at);
            case Kind::object: return members(json.get_object(), shape, at);
            default: return;
        }
    }

    [[nodiscard]] std::vector<Error> take() { return std::move(errors_); }

private:
    void fail(const std::string& at, std::optional<Error> error) {
        if (error && errors_.size() < kErrorsMax) errors_.push_back(in_field(std::move(*error), at));
    }

    // Most values have no size limit, so the text is written only when there is one.
    void size(const Json& json, const Shape& shape, const std::string& at) {
        if (shape.most == std::numeric_limits<std::int64_t>::max()) return;
        if (const auto bytes = to_text(json).size(); std::cmp_greater(bytes, shape.most))
            fail(at, too_many(bytes, shape.most, "bytes"));
    }

    void number(const Json& json, const Shape& shape, const std::string& at) {
        boost::json::error_code code;
        const auto number = json.to_number<std::int64_t>(code);
        if (code || number < shape.least || number > shape.most) fail(at, out_of_bounds(shape));
    }

    void amount(const Json& json, const std::string& at) {
        if (auto credits = model::credits_from_json(json); !credits) fail(at, credits.error());
    }

    void list(const boost::json::array& array, const Shape& shape, const std::string& at) {
        if (static_cast<std::int64_t>(array.size()) > shape.most)
            return fail(at, too_many(array.size(), shape.most, "elements"));
        for (std::size_t i = 0; i < array.size(); ++i) {
            const auto place = at + '/' + std::to_string(i);
            // An element cannot be absent, because the others would move up.
            if (array[i].is_null() && shape.of->kind != Kind::anything && !shape.of->nullable) {
                fail(place, invalid(std::string("must be ") + words_for(json_kind(shape.of->kind)) + ", not null"));
            } else {
                value(array[i], *shape.of, place);
            }
        }
    }

    void map(const boost::json::object& object, const Shape& shape, const std::string& at) {
        if (static_cast<std::int64_t>(object.size()) > shape.most)
            return fail(at, too_many(object.size(), shape.most, "members"));
        for (const auto& member : object) value(member.value(), *shape.of, at + pointer_step(member.key()));
    }

    void members(const boost::json::object& object, const Shape& shape, const std::string& at) {
        for (const auto& member : object) {
            const auto known = std::ranges::find(shape.members, std::string_view(member.key()), &Member::name);
            const auto place = at + pointer_step(member.key());
            if (known == shape.members.end()) {
                fail(place, unknown(member.key(), shape));
            } else {
                value(member.value(), *known->shape, place);
            }
        }
        const auto absent = [&](const std::string& name) {
            const auto* const found = object.if_contains(name);
            return found == nullptr || (side_ == Side::request && found->is_null());
        };
        for (const auto& member : shape.members) {
            if (member.presence == Presence::optional || !absent(member.name)) continue;
            fail(at + pointer_step(member.name), invalid(in_quotes(member.name) + " is missing; add it"));
        }
        for (const auto& needed : shape.needed) {
            if (std::ranges::all_of(needed.names, absent))
                fail(at + pointer_step(needed.names.front()), invalid(needed.missing));
        }
    }

    // Finds the member whose object has this name: the client may have put it one level too high.
    static const Member* owner_of(std::string_view name, const Shape& shape) {
        const auto has = [name](const Member& member) {
            return member.shape->kind == Kind::object &&
                   std::ranges::find(member.shape->members, name, &Member::name) != member.shape->members.end();
        };
        const auto found = std::ranges::find_if(shape.members, has);
        return found == shape.members.end() ? nullptr : &*found;
    }

    static Error unknown(std::string_view name, const Shape& shape) {
        if (const auto* const owner = owner_of(name, shape)) {
            return invalid("there is no member " + in_quotes(name) + " here; it belongs in " + in_quotes(owner->name) +
                           ", as " + owner->name + "." + std::string(name));
        }
        std::vector<std::string> names;
        for (const auto& member : shape.members) names.push_back(member.name);
        const auto meant = nearest(name, names);
        return invalid("there is no member " + in_quotes(name) + "; " +
                       (meant ? "did you mean " + in_quotes(*meant) + "?" : "remove it"));
    }

    Side side_;
    std::vector<Error> errors_ = {};
};

}  // namespace

std::vector<Error> check(const Json& json, const Shape& shape, Side side, const std::string& prefix) {
    Walk walk(side);
    walk.value(json, shape, prefix);
    return walk.take();
}

std::optional<Error> check_parameter(std::string_view text, const Shape& shape) {
    if (shape.kind == Kind::integer) {
        const auto number = parse_integer(text);
        if (!number || *number < shape.least || *number > shape.most) return out_of_bounds(shape);
        return std::nullopt;
    }
    if (shape.kind == Kind::boolean) {
        return text == "true" || text == "false" ? std::nullopt : std::optional(invalid("must be true or false"));
    }
    return check_text(text, shape, Side::request);
}

}  // namespace belfry::api
