#include "store/postgres/postgres_error.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace belfry::store::postgres {

namespace {

// Matched by its beginning, the first that fits. The states are those of the manual's appendix "PostgreSQL Error Codes".
struct Meaning {
    std::string_view state;
    ErrorCode code;
    std::string_view text;
    bool connection_over = false;
};
constexpr std::array kMeanings{
    Meaning{"23502", ErrorCode::conflict, "a value is missing"},
    Meaning{"23503", ErrorCode::conflict, "what it refers to is not there, or is still referred to"},
    Meaning{"23505", ErrorCode::conflict, "it exists already"},
    Meaning{"23514", ErrorCode::conflict, "a check refuses it"},
    Meaning{"23P01", ErrorCode::conflict, "it excludes another one"},
    Meaning{"22021", ErrorCode::invalid_argument, "a text is not valid UTF-8"},
    Meaning{"40001", ErrorCode::unavailable, "another transaction was faster"},
    Meaning{"40P01", ErrorCode::unavailable, "two transactions waited for each other"},
    Meaning{"55P03", ErrorCode::unavailable, "the database waited too long for a lock"},
    Meaning{"57014", ErrorCode::unavailable, "the statement took too long"},
    Meaning{"53100", ErrorCode::unavailable, "the database's disk is full"},
    Meaning{"53", ErrorCode::unavailable, "the database is out of resources"},
    // Also "an idle transaction was ended" (25P03): the server closes the connection after it.
    Meaning{"25P03", ErrorCode::unavailable, "the transaction was idle for too long", true},
    // A standby that was asked to write: a new connection may find the primary.
    Meaning{"25006", ErrorCode::unavailable, "the database only allows reading", true},
    Meaning{"57P", ErrorCode::unavailable, "the database is shutting down or starting", true},
    Meaning{"08", ErrorCode::unavailable, "the connection failed", true},
};

std::string_view field(const PGresult& result, int code) {
    const char* text = PQresultErrorField(&result, code);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

// libpq writes a line for every address that it tried, and advice on lines that begin with a tab.
std::string on_one_line(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (end > 0 && text[0] != '\t') line += (line.empty() ? "" : "; ") + std::string(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return line;
}

std::string server_words(const PGresult& result) {
    auto words = std::string(field(result, PG_DIAG_MESSAGE_PRIMARY));
    if (words.empty()) words = on_one_line(PQresultErrorMessage(&result));
    if (const auto detail = field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) words += "; " + std::string(detail);
    return words;
}

}  // namespace

Refusal refusal(const PGresult& result, std::string_view what) {
    const auto state = field(result, PG_DIAG_SQLSTATE);
    const auto message = [&](std::string_view meaning) { return std::string(what) + ": " + std::string(meaning) + ": " + server_words(result); };

    // No state: libpq itself noticed that the server is gone.
    if (state.empty()) return {from_database(ErrorCode::unavailable, message("the connection was lost")), true};
    // A migration changed a table under a statement that was prepared before; a new connection prepares it anew.
    if (state == "0A000" && field(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery") {
        return {from_database(ErrorCode::unavailable, message("a table has changed its columns")), true};
    }
    const auto* known = std::ranges::find_if(kMeanings, [&](const Meaning& each) { return state.starts_with(each.state); });
    if (known == kMeanings.end()) {
        // Nobody planned for it, and some of these heal with a new connection (prepared statements that a pooler discarded).
        return {from_database(ErrorCode::corrupt, message("the database refuses the statement (" + std::string(state) + ")")), true};
    }
    auto text = std::string(known->text);
    if (const auto constraint = field(result, PG_DIAG_CONSTRAINT_NAME); !constraint.empty()) text += " (" + std::string(constraint) + ")";
    return {from_database(known->code, message(text)), known->connection_over};
}

std::string complaint(const PGconn& connection) { return on_one_line(PQerrorMessage(&connection)); }

}  // namespace belfry::store::postgres
