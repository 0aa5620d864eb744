#include "api/contract/problem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "model/workflow/workflow_check.hpp"

namespace belfry::api {

namespace {

// Returns what a client may know about an error whose message comes from the database. The server's log has the rest.
std::string_view without_database_words(ErrorCode code) {
    switch (code) {
        case ErrorCode::conflict:
            return "another request changed the data in the meantime; read it again and repeat the request";
        case ErrorCode::unavailable: return "the database is busy or unreachable, and nothing was changed; retry later";
        case ErrorCode::unknown:
            return "the connection to the database broke during the commit; check whether the change was made before "
                   "you repeat it";
        case ErrorCode::invalid_argument:
            return "the database cannot store a text of this request; send valid UTF-8 without NUL characters";
        default: return "the database cannot process this request; see the server's log for the reason";
    }
}

Problem without_companions(const Error& told) {
    auto error = told;
    error.message = public_message(told);
    switch (error.code) {
        case ErrorCode::invalid_argument:
            return {422, model::tells_cycle(error) ? model::kCycleDetected : "invalid_argument", error.message,
                    error.field};
        case ErrorCode::not_found: return {404, "not_found", error.message, error.field};
        case ErrorCode::already_exists: return {409, "already_exists", error.message, error.field};
        case ErrorCode::conflict: return {409, "conflict", error.message, error.field};
        case ErrorCode::unavailable: return {503, "unavailable", error.message, error.field};
        case ErrorCode::unknown: return {503, "outcome_unknown", error.message, error.field};
        case ErrorCode::corrupt: return {500, "corrupt", error.message, error.field};
        case ErrorCode::unauthenticated: return {401, "unauthenticated", error.message, error.field};
        case ErrorCode::forbidden: return {403, "forbidden", error.message, error.field};
        case ErrorCode::exhausted: return {429, "exhausted", error.message, error.field};
    }
    return {500, "internal", error.message, error.field};
}

boost::json::object place_json(const std::string& field, const std::string& detail) {
    if (field.front() == '?') return {{"parameter", field.substr(1)}, {"detail", detail}};
    return {{field.front() == '/' ? "pointer" : "header", field}, {"detail", detail}};
}

}  // namespace

std::string public_message(const Error& error) {
    return error.from_database ? std::string(without_database_words(error.code)) : error.message;
}

Problem problem_of(const Error& error) {
    auto problem = without_companions(error);
    problem.more = error.more;
    problem.retry_after_s = error.retry_after_s;
    return problem;
}

std::string_view reason_phrase(int status) {
    switch (status) {
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 206: return "Partial Content";
        case 304: return "Not Modified";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 406: return "Not Acceptable";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
        case 416: return "Range Not Satisfiable";
        case 415: return "Unsupported Media Type";
        case 422: return "Unprocessable Content";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 503: return "Service Unavailable";
        default: return "";
    }
}

Json to_json(const Problem& problem) {
    const auto others =
        problem.more.empty() ? std::string() : " (and " + std::to_string(problem.more.size()) + " more; see errors)";
    boost::json::object object{{"type", "about:blank"},
                               {"title", reason_phrase(problem.status)},
                               {"status", problem.status},
                               {"code", problem.code},
                               {"detail", problem.detail + others}};
    boost::json::array errors;
    if (!problem.field.empty()) errors.push_back(place_json(problem.field, problem.detail));
    for (const auto& other : problem.more) {
        if (!other.field.empty()) errors.push_back(place_json(other.field, other.message));
    }
    object["errors"] = std::move(errors);
    return object;
}

ShapePtr problem_shape() {
    static const auto shape =
        record("Problem",
               {{"type", text(), "Always `about:blank`. See `code` for the type of the error.", Presence::required},
                {"title", text(), "Name of the HTTP status.", Presence::required},
                {"status", integer(), "HTTP status code.", Presence::required},
                {"code", text(), "Machine-readable error code. Codes never change.", Presence::required},
                {"detail", text(), "What went wrong, and how to fix it.", Presence::required},
                {"errors",
                 list_of(record("ProblemPlace", {{"pointer", text(), "JSON pointer to a member of the request body."},
                                                 {"parameter", text(), "Name of a query parameter."},
                                                 {"header", text(), "Name of a header."},
                                                 {"detail", text(), "What is wrong there.", Presence::required}})),
                 "Locations of all errors.", Presence::required}});
    return shape;
}

Response error_response(const Problem& problem, const Json& body, std::string media) {
    Response response{problem.status, {{"Content-Type", std::move(media)}}, to_text(body)};
    const bool may_pass = problem.status == 503 || problem.status == 429;
    if (may_pass && problem.retry_after_s > 0)
        response.headers.emplace_back("Retry-After", std::to_string(problem.retry_after_s));
    if (problem.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
}

Response problem_response(const Problem& problem) { return error_response(problem, to_json(problem), kProblemMedia); }

Response problem_response(const Error& error) { return problem_response(problem_of(error)); }

}  // namespace belfry::api
