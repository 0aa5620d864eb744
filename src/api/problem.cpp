#include "api/problem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace belfry::api {

Problem problem_of(const Error& error) {
    switch (error.code) {
        case ErrorCode::invalid_argument: return {422, "invalid_argument", error.message, error.field};
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

std::string_view reason_phrase(int status) {
    switch (status) {
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
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
    boost::json::object object{{"type", "about:blank"},
                               {"title", reason_phrase(problem.status)},
                               {"status", problem.status},
                               {"code", problem.code},
                               {"detail", problem.detail}};
    boost::json::array errors;
    if (!problem.field.empty()) {
        const bool parameter = problem.field.front() == '?';
        boost::json::object place;
        place[parameter ? "parameter" : "pointer"] = parameter ? problem.field.substr(1) : problem.field;
        place["detail"] = problem.detail;
        errors.push_back(std::move(place));
    }
    object["errors"] = std::move(errors);
    return object;
}

Response problem_response(const Problem& problem) {
    Response response{problem.status, {{"Content-Type", "application/problem+json"}}, to_text(to_json(problem))};
    if (problem.status == 503) response.headers.emplace_back("Retry-After", "1");
    return response;
}

Response problem_response(const Error& error) { return problem_response(problem_of(error)); }

}  // namespace belfry::api
