#include "store/postgres/postgres_error.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace belfry::store::postgres {

namespace {

// Matched by prefix; the first match applies. The states are in the appendix "PostgreSQL Error Codes" of the manual.
struct Meaning {
    std::string_view state;
    ErrorCode code;
    std::string_view text;
    bool connection_over = false;
};
constexpr std::array kMeanings{
    Meaning{"23502", ErrorCode::conflict, "a value is missing"},
    Meaning{"23503", ErrorCode::conflict, "a referenced row does not exist, or the row is still referenced"},
    Meaning{"23505", ErrorCode::conflict, "it already exists"},
    Meaning{"23514", ErrorCode::conflict, "a check constraint rejects it"},
    Meaning{"23P01", ErrorCode::conflict, "an exclusion constraint rejects it"},
    Meaning{"22021", ErrorCode::invalid_argument, "a text is not valid UTF-8"},
    Meaning{"40001", ErrorCode::unavailable, "a concurrent transaction was faster"},
    Meaning{"40P01", ErrorCode::unavailable, "deadlock: two transactions waited for each other"},
    Meaning{"55P03", ErrorCode::unavailable, "the database waited too long for a lock"},
    Meaning{"57014", ErrorCode::unavailable, "the statement took too long"},
    Meaning{"53100", ErrorCode::unavailable, "the database's disk is full"},
    Meaning{"53", ErrorCode::unavailable, "the database is out of resources"},
    // The server closes the connection after this error.
    Meaning{"25P03", ErrorCode::unavailable, "the transaction was idle for too long", true},
    // A standby got a write: a new connection may reach the primary.
    Meaning{"25006", ErrorCode::unavailable, "the database is read-only", true},
    Meaning{"57P", ErrorCode::unavailable, "the database is shutting down or starting", true},
    Meaning{"08", ErrorCode::unavailable, "the connection failed", true},
};

std::string_view field(const PGresult& result, int code) {
    const char* text = PQresultErrorField(&result, code);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

// libpq writes one line for each address that it tried, and hints on lines that start with a tab.
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
    const auto message = [&](std::string_view meaning) {
        return std::string(what) + ": " + std::string(meaning) + ": " + server_words(result);
    };

    // No state: libpq itself noticed that the server is gone.
    if (state.empty()) return {from_database(ErrorCode::unavailable, message("the connection was lost")), true};
    // A migration changed a table after a statement was prepared; a new connection prepares it again.
    if (state == "0A000" && field(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery") {
        return {from_database(ErrorCode::unavailable, message("a table has changed its columns")), true};
    }
    const auto* known =
        std::ranges::find_if(kMeanings, [&](const Meaning& each) { return state.starts_with(each.state); });
    if (known == kMeanings.end()) {
        // Unexpected errors. Some go away with a new connection (a pooler discarded the prepared statements).
        return {from_database(ErrorCode::corrupt,
                              message("the database rejected the statement (" + std::string(state) + ")")),
                true};
    }
    auto text = std::string(known->text);
    if (const auto constraint = field(result, PG_DIAG_CONSTRAINT_NAME); !constraint.empty())
        text += " (" + std::string(constraint) + ")";
    return {from_database(known->code, message(text)), known->connection_over};
}

std::string complaint(const PGconn& connection) { return on_one_line(PQerrorMessage(&connection)); }

}  // namespace belfry::store::postgres
