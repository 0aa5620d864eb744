#include "model/schedule/reference.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "base/errors.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/nearest.hpp"

namespace belfry::model {

namespace {

constexpr const char* kAllowed = "use ${nodes.ID.output/path}, ${input/path} or ${run.NAME}, and $${ for ${ itself";

constexpr std::string_view kNodesPrefix = "nodes.";
constexpr std::string_view kOutputSuffix = ".output";
constexpr std::string_view kRunPrefix = "run.";
constexpr std::string_view kInput = "input";

bool is_run_name(std::string_view name) { return std::ranges::find(kRunReferences, name) != std::end(kRunReferences); }

Error not_run_name(std::string_view name) {
    const std::vector<std::string> known(std::begin(kRunReferences), std::end(kRunReferences));
    const auto meant = nearest(name, known);
    std::string choices;
    for (const auto& each : known) choices += (choices.empty() ? "" : ", ") + each;
    return invalid("a run has no " + in_quotes(name) +
                   (meant ? "; did you mean " + in_quotes(*meant) + "?" : "; it has " + choices));
}

// inside = "nodes." id ".output" pointer / "input" pointer / "run." name
Result<Reference> parse_reference(std::string_view inside) {
    const auto slash = std::min(inside.find('/'), inside.size());
    const auto head = inside.substr(0, slash);
    Reference reference{.pointer = std::string(inside.substr(slash))};
    if (const auto pointer = JsonPointer::parse(reference.pointer); !pointer) return invalid(pointer.error().message);
    if (head == kInput) return reference;
    if (head.starts_with(kRunPrefix)) {
        reference.source = Reference::Source::run;
        reference.name = head.substr(kRunPrefix.size());
        if (!is_run_name(reference.name)) return not_run_name(reference.name);
        if (!reference.pointer.empty())
            return invalid("properties of a run are plain text; remove " + in_quotes(reference.pointer));
        return reference;
    }
    if (head.starts_with(kNodesPrefix) && head.ends_with(kOutputSuffix) &&
        head.size() > kNodesPrefix.size() + kOutputSuffix.size() - 1) {
        reference.source = Reference::Source::node;
        reference.name = head.substr(kNodesPrefix.size(), head.size() - kNodesPrefix.size() - kOutputSuffix.size());
        if (is_node_id(reference.name)) return reference;
        return invalid(in_quotes(reference.name) + " is not a node id: " + kNodeIdRule);
    }
    return invalid(kAllowed);
}

// A part of a text: a literal stretch or a reference.
struct Piece {
    std::string text = {};
    std::optional<Reference> reference = {};
};

// text = *( "$${" / "${" inside "}" / any )
Result<std::vector<Piece>> pieces_of(std::string_view text) {
    std::vector<Piece> pieces;
    const auto literal = [&pieces]() -> std::string& {
        if (pieces.empty() || pieces.back().reference) pieces.emplace_back();
        return pieces.back().text;
    };
    for (std::size_t i = 0; i < text.size();) {
        const auto rest = text.substr(i);
        if (rest.starts_with("$${")) {
            literal() += "${";
            i += 3;
        } else if (rest.starts_with("${")) {
            const auto end = rest.find('}');
            if (end == std::string_view::npos)
                return invalid("the reference " + in_quotes(rest) + " has no }; " + kAllowed, {i + 1, rest.size()});
            auto reference = parse_reference(rest.substr(2, end - 2));
            if (!reference)
                return invalid("the reference " + in_quotes(rest.substr(0, end + 1)) + ": " + reference.error().message,
                               {i + 1, end + 1});
            pieces.push_back({.reference = std::move(*reference)});
            i += end + 1;
        } else {
            const auto next = std::min(text.find('$', i + 1), text.size());
            literal() += text.substr(i, next - i);
            i = next;
        }
    }
    return pieces;
}

// The key with `$${` replaced by `${`. Keys cannot contain references: they are fixed when the workflow is written.
Result<std::string> literal_key(std::string_view key) {
    auto pieces = pieces_of(key);
    if (!pieces) return pieces.error();
    if (pieces->empty()) return std::string();
    if (pieces->size() > 1 || pieces->front().reference)
        return invalid("a reference is allowed in a value, not in a key; write $${ for a literal ${");
    return std::move(pieces->front().text);
}

class Collector {
public:
    void walk(const Json& value, const std::string& place) {
        switch (kind_of(value)) {
            case JsonKind::string: collect(value.get_string(), place); break;
            case JsonKind::array: {
                std::size_t index = 0;
                for (const auto& element : value.get_array()) walk(element, place + '/' + std::to_string(index++));
                break;
            }
            case JsonKind::object:
                for (const auto& member : value.get_object()) {
                    const auto inside = place + pointer_step(member.key());
                    if (const auto key = literal_key(member.key()); !key) add(key.error(), inside);
                    walk(member.value(), inside);
                }
                break;
            default: break;
        }
    }

    Result<std::vector<PlacedReference>> take() {
        if (auto error = together_if_any(std::move(errors_))) return std::move(*error);
        return std::move(found_);
    }

private:
    void add(Error error, const std::string& place) {
        if (errors_.size() < kReferenceErrorsMax) errors_.push_back(in_field(std::move(error), place));
    }

    void collect(std::string_view text, const std::string& place) {
        auto pieces = pieces_of(text);
        if (!pieces) return add(pieces.error(), place);
        for (auto& piece : *pieces) {
            if (piece.reference) found_.push_back({std::move(*piece.reference), place});
        }
    }

    std::vector<PlacedReference> found_;
    Errors errors_;
};

// Counts bytes while it builds the value, so that it rejects many references to a large output before it copies them.
class Resolver {
public:
    explicit Resolver(const Lookup& lookup) : lookup_(lookup) {}

    // `depth` is the number of enclosing arrays and objects.
    Result<Json> walk(const Json& value, const std::string& place, std::size_t depth) {
        switch (kind_of(value)) {
            case JsonKind::string: return text(value.get_string(), place, depth);
            case JsonKind::array: {
                boost::json::array array;
                for (const auto& element : value.get_array()) {
                    auto resolved = walk(element, place + '/' + std::to_string(array.size()), depth + 1);
                    if (!resolved) return resolved;
                    array.push_back(std::move(*resolved));
                }
                return counted(std::move(array), 2 + value.get_array().size(), place);
            }
            case JsonKind::object: {
                boost::json::object object;
                for (const auto& member : value.get_object()) {
                    const auto inside = place + pointer_step(member.key());
                    auto key = literal_key(member.key());
                    if (!key) return in_field(key.error(), inside);
                    auto resolved = walk(member.value(), inside, depth + 1);
                    if (!resolved) return resolved;
                    object[*key] = std::move(*resolved);
                    if (auto error = spend(key->size() + 4, place)) return std::move(*error);
                }
                return counted(std::move(object), 2, place);
            }
            default: return counted(value, to_text(value).size(), place);
        }
    }

private:
    std::optional<Error> spend(std::size_t bytes, const std::string& place) {
        spent_ += bytes;
        if (spent_ <= kResolvedBytesMax) return std::nullopt;
        return in_field(invalid("the value with its references resolved has more than " +
                                std::to_string(kResolvedBytesMax) + " bytes"),
                        place);
    }

    Result<Json> counted(Json value, std::size_t bytes, const std::string& place) {
        if (auto error = spend(bytes, place)) return std::move(*error);
        return value;
    }

    Result<const Json*> look_up(const Reference& reference, const std::string& place) {
        const auto* const found = lookup_(reference);
        if (found == nullptr) return in_field(invalid("the reference " + text_of(reference) + " has no value"), place);
        return found;
    }

    Result<Json> text(std::string_view text, const std::string& place, std::size_t depth) {
        const auto pieces = pieces_of(text);
        if (!pieces) return in_field(pieces.error(), place);
        if (pieces->size() == 1 && pieces->front().reference) return whole(*pieces->front().reference, place, depth);
        std::string put_in;
        for (const auto& piece : *pieces) {
            auto part = piece.text;
            if (piece.reference) {
                const auto found = look_up(*piece.reference, place);
                if (!found) return found.error();
                part = (*found)->is_string() ? std::string((*found)->get_string()) : to_text(**found);
            }
            if (auto error = spend(part.size(), place)) return std::move(*error);
            put_in += part;
        }
        return counted(Json(put_in), 2, place);
    }

    Result<Json> whole(const Reference& reference, const std::string& place, std::size_t depth) {
        const auto found = look_up(reference, place);
        if (!found) return found.error();
        if (auto error = spend(to_text(**found).size(), place)) return std::move(*error);
        if (depth + depth_of(**found) > kJsonDepthMax) {
            return in_field(invalid("the value with " + text_of(reference) + " resolved is more than " +
                                    std::to_string(kJsonDepthMax) + " levels deep"),
                            place);
        }
        return **found;
    }

    static std::size_t depth_of(const Json& value) {
        std::size_t below = 0;
        switch (kind_of(value)) {
            case JsonKind::array:
                for (const auto& element : value.get_array()) below = std::max(below, depth_of(element));
                return below + 1;
            case JsonKind::object:
                for (const auto& member : value.get_object()) below = std::max(below, depth_of(member.value()));
                return below + 1;
            default: return 0;
        }
    }

    const Lookup& lookup_;
    std::size_t spent_ = 0;
};

}  // namespace

bool is_node_id(std::string_view text) {
    const auto fits = [](char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '-'; };
    return !text.empty() && text.size() <= kNodeIdMax && std::ranges::all_of(text, fits);
}

std::string text_of(const Reference& reference) {
    switch (reference.source) {
        case Reference::Source::node: return "${nodes." + reference.name + ".output" + reference.pointer + "}";
        case Reference::Source::input: return "${input" + reference.pointer + "}";
        case Reference::Source::run: return "${run." + reference.name + "}";
    }
    return {};
}

Result<std::vector<PlacedReference>> placed_references_in(const Json& value) {
    Collector collector;
    collector.walk(value, {});
    return collector.take();
}

Result<std::vector<Reference>> references_in(const Json& value) {
    auto placed = placed_references_in(value);
    if (!placed) return placed.error();
    std::vector<Reference> references;
    for (auto& each : *placed) references.push_back(std::move(each.reference));
    return references;
}

Result<std::string> with_placeholders(std::string_view text, std::string_view placeholder) {
    const auto pieces = pieces_of(text);
    if (!pieces) return pieces.error();
    std::string result;
    for (const auto& piece : *pieces) result += piece.reference ? placeholder : std::string_view(piece.text);
    return result;
}

Result<std::string> literal_start(std::string_view text) {
    auto pieces = pieces_of(text);
    if (!pieces) return pieces.error();
    return pieces->empty() ? std::string() : std::move(pieces->front().text);
}

Result<Json> resolve(const Json& value, const Lookup& lookup) { return Resolver(lookup).walk(value, {}, 0); }

}  // namespace belfry::model
