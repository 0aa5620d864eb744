#include "api/dialects/durable/durable_query.hpp"

#include <array>
#include <boost/json/array.hpp>

#include "base/crypto/sha256.hpp"
#include "base/text/base64.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;

constexpr std::size_t kMarkDigits = 32;  // of the hash of a filter

Refusal about(const char* parameter, int status, const char* reason, std::string message) {
    return {Problem{status, "invalid_argument", std::move(message), std::string("?") + parameter}, reason};
}
Refusal malformed(std::string message) {
    return about("query", 422, "invalid_schedule_visibility_query", std::move(message));
}
Refusal unsupported() {
    return about(
        "query", 422, "unsupported_schedule_visibility_predicate",
        R"(only equality is possible, joined by AND, for example WorkflowType = "orders.rollup" AND Region = "eu")");
}

bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

class VisibilityParser {
public:
    explicit VisibilityParser(std::string_view text) : rest_(text) {}

    std::variant<std::vector<Predicate>, Refusal> parse() {
        do {
            if (!predicate()) return *refusal_;
        } while (goes_on());
        if (refusal_) return *refusal_;
        return std::move(predicates_);
    }

private:
    bool fail(Refusal refusal) {
        refusal_ = std::move(refusal);
        return false;
    }

    void skip_blanks() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }

    std::string_view take(std::size_t count) {
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::string_view word() {
        skip_blanks();
        std::size_t end = 0;
        const auto fits = [&](char c) { return is_alpha(c) || (end > 0 && (is_digit(c) || c == '_')); };
        while (end < rest_.size() && fits(rest_[end])) ++end;
        return take(end);
    }

    bool predicate() {
        const auto field = word();
        if (same_ignoring_case(field, "NOT")) return fail(unsupported());
        if (field.empty())
            return fail(malformed("a field is missing; write Field = literal, for example Status = \"paused\""));
        skip_blanks();
        if (rest_.empty()) return fail(malformed(in_quotes(field) + " has no literal; write Field = literal"));
        // `!=`, `<`, `LIKE` and similar operators.
        if (rest_.front() != '=') return fail(unsupported());
        take(1);
        skip_blanks();
        auto value = literal();
        if (!value) return false;
        predicates_.push_back({std::string(field), std::move(*value)});
        return true;
    }

    // Returns the length of a quoted text including its quotes, or nothing when it has no end.
    [[nodiscard]] std::optional<std::size_t> quoted_length(char quote) const {
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            if (rest_[i] == '\\') {
                ++i;
            } else if (rest_[i] == quote) {
                return i + 1;
            }
        }
        return std::nullopt;
    }

    std::optional<Json> literal() {
        const bool quoted = !rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'');
        if (!quoted) return bare();
        const auto length = quoted_length(rest_.front());
        if (!length) {
            fail(malformed("a text has no end; close its quotes"));
            return std::nullopt;
        }
        const auto text = take(*length);
        if (storable(text) != text) {  // JSON rejects it in double quotes
            fail(malformed(in_quotes(text) + " is not UTF-8"));
            return std::nullopt;
        }
        if (text.front() == '\'') return Json(unescaped(text.substr(1, text.size() - 2)));
        auto parsed = parse_json(text);
        if (parsed) return std::move(*parsed);
        fail(malformed(in_quotes(text) + " is not a valid text: " + parsed.error().message));
        return std::nullopt;
    }

    static std::string unescaped(std::string_view text) {
        std::string plain;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool escape = text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\'' || text[i + 1] == '\\');
            plain += text[escape ? ++i : i];
        }
        return plain;
    }

    std::optional<Json> bare() {
        std::size_t end = 0;
        while (end < rest_.size() && !is_space(rest_[end])) ++end;
        const auto text = take(end);
        if (same_ignoring_case(text, "true")) return Json(true);
        if (same_ignoring_case(text, "false")) return Json(false);
        auto parsed = parse_json(text, {.numbers = JsonNumbers::exact});
        if (parsed && kind_of(*parsed) == JsonKind::number) return std::move(*parsed);
        fail(malformed(in_quotes(text) + " is not a literal; write a text in quotes, a number, true or false"));
        return std::nullopt;
    }

    // Whether another predicate follows.
    bool goes_on() {
        skip_blanks();
        if (rest_.empty()) return false;
        const auto next = word();
        if (same_ignoring_case(next, "AND")) return true;
        return fail(same_ignoring_case(next, "OR") ? unsupported() : malformed("only AND may follow a predicate"));
    }

    std::string_view rest_;
    std::vector<Predicate> predicates_ = {};
    std::optional<Refusal> refusal_ = {};
};

// Narrows a filter to one text. An empty text matches no name, and two different texts exclude each other.
void narrow(std::string& wanted, const std::string& text, bool& impossible) {
    impossible = impossible || text.empty() || (!wanted.empty() && wanted != text);
    wanted = text;
}
template <typename T>
void narrow(std::optional<T>& wanted, const T& value, bool& impossible) {
    impossible = impossible || (wanted && *wanted != value);
    wanted = value;
}

std::optional<Refusal> narrow_by(ListRequest& request, const Predicate& predicate) {
    constexpr std::array<std::string_view, 5> kTexts{"ScheduleId", "Status", "WorkflowType", "TaskQueue", "Note"};
    auto& filter = request.filter;
    const auto& field = predicate.field;
    if (std::ranges::find(kTexts, field) == kTexts.end()) {
        filter.search_attributes.emplace_back(field, predicate.literal);
        return std::nullopt;
    }
    if (!predicate.literal.is_string()) return malformed(field + " needs a text literal; put it in quotes");
    const std::string text(std::string_view(predicate.literal.get_string()));
    if (field == "Status") {
        const auto status = model::parse_schedule_status(text);
        if (!status || *status == model::ScheduleStatus::deleted)
            return malformed("Status must be \"active\", \"paused\" or \"completed\"");
        narrow(filter.status, *status, request.impossible);
    }
    if (field == "ScheduleId") narrow(filter.name, text, request.impossible);
    if (field == "WorkflowType") narrow(filter.target_kind, text, request.impossible);
    if (field == "TaskQueue") narrow(filter.queue, text, request.impossible);
    if (field == "Note") narrow(filter.notes, text, request.impossible);
    return std::nullopt;
}

Refusal no_token() {
    return about("next_page_token", 400, "malformed_schedule_page_token",
                 "the token does not come from a list; send next_page_token unchanged");
}

}  // namespace

std::variant<std::vector<Predicate>, Refusal> parse_visibility(std::string_view query) {
    return VisibilityParser(query).parse();
}

Refusal malformed_query(std::string message) { return malformed(std::move(message)); }

std::string mark_of(const Call& call, const std::vector<Predicate>& predicates) {
    boost::json::array said{Json(call.query.text("status").value_or("")),
                            Json(call.query.text("workflow_type").value_or(""))};
    for (const auto& predicate : predicates)
        said.push_back(boost::json::array{Json(predicate.field), predicate.literal});
    return sha256_hex(to_text(said)).substr(0, kMarkDigits);
}

std::variant<std::string, Refusal> read_token(std::string_view token, const ListName& list) {
    const auto bytes = from_base64url(token);
    if (!bytes) return no_token();
    const auto parsed = parse_json(*bytes);
    if (!parsed || !parsed->is_object()) return no_token();
    const auto member = [&](std::string_view name) -> std::optional<std::string> {
        const auto* const found = parsed->get_object().if_contains(name);
        if (found == nullptr || !found->is_string()) return std::nullopt;
        return std::string(std::string_view(found->get_string()));
    };
    const auto tenant = member("namespace");
    const auto mark = member("filter");
    const auto cursor = member("cursor");
    if (!tenant || !mark || !cursor || storable(*cursor) != *cursor) return no_token();
    if (*tenant != list.tenant) {
        return about("next_page_token", 403, "schedule_page_token_namespace_mismatch",
                     "the token belongs to a list of another namespace; begin anew");
    }
    if (*mark != list.mark) {
        return about("next_page_token", 409, "schedule_page_token_filter_mismatch",
                     "the token belongs to a list with another filter; send the same status, workflow_type and query, "
                     "or begin anew");
    }
    return *cursor;
}

std::variant<ListRequest, Refusal> read_list_request(const Call& call) {
    ListRequest request;
    request.filter.tenant = call.tenant();
    request.filter.newest_first = true;
    request.filter.status = call.query.parsed("status", &model::parse_schedule_status);
    request.filter.target_kind = call.query.text("workflow_type").value_or("");
    std::vector<Predicate> predicates;
    if (const auto query = call.query.text("query")) {
        auto parsed = parse_visibility(*query);
        if (auto* const refusal = std::get_if<Refusal>(&parsed)) return std::move(*refusal);
        predicates = std::get<std::vector<Predicate>>(std::move(parsed));
    }
    for (const auto& predicate : predicates) {
        if (auto refusal = narrow_by(request, predicate)) return std::move(*refusal);
    }
    request.mark = mark_of(call, predicates);
    request.page.limit = static_cast<std::size_t>(call.query.integer("page_size").value_or(kPageRows));
    if (const auto token = call.query.text("next_page_token")) {
        auto read = read_token(*token, {request.filter.tenant, request.mark});
        if (auto* const refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
        request.page.after = std::get<std::string>(std::move(read));
    }
    return request;
}

Json page_token(const ListName& list, const std::string& next) {
    if (next.empty()) return nullptr;
    return Json(to_base64url(to_text(object{{"namespace", list.tenant}, {"filter", list.mark}, {"cursor", next}})));
}

Response malformed_token() { return refused(no_token()); }

}  // namespace belfry::api::durable
