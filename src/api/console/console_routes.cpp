// Routes of the web console: its page at `/` and at the addresses of its views, and its assets. They are no part of the
// API, so the API description omits them.
#include <algorithm>
#include <array>

#include "api/console/console_files.hpp"
#include "api/handlers.hpp"
#include "api/http/gzip.hpp"
#include "base/text/gzip.hpp"

namespace belfry::api {

namespace {

// The addresses of the console's views (console/src/router.tsx). All of them serve the same page, so that a reader can
// reload and share them. Every other unknown path stays a 404 in JSON.
struct View {
    const char* pattern;
    const char* operation;
};
constexpr std::array kViews{View{"/", "getConsole"},
                            View{"/schedule", "getConsoleSchedules"},
                            View{"/schedule/{name}", "getConsoleSchedule"},
                            View{"/schedule/{name}/edit", "getConsoleEditor"},
                            View{"/new", "getConsoleNewSchedule"},
                            View{"/runs", "getConsoleRuns"},
                            View{"/run/{run}", "getConsoleRun"},
                            View{"/approvals", "getConsoleApprovals"},
                            View{"/calendars", "getConsoleCalendars"},
                            View{"/workflows", "getConsoleWorkflows"},
                            View{"/workflow/{name}", "getConsoleWorkflow"},
                            View{"/webhooks", "getConsoleWebhooks"},
                            View{"/settings", "getConsoleSettings"}};

constexpr const char* kPage = "text/html; charset=utf-8";
// The page loads nothing from elsewhere, and runs and applies nothing that is not a file of the console.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'";
constexpr std::size_t kFileMax = std::size_t{16} << 20;

constexpr const char* kNoConsole =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\"><title>Belfry</title></head><body><h1>Belfry runs</h1>"
    "<p>This program was built without the web console. To get it, install Node 18 or newer with npm "
    "(<code>apt install nodejs npm</code>), then build again: <code>cmake --preset release -DBELFRY_CONSOLE=ON "
    "&amp;&amp; cmake --build --preset release</code>.</p>"
    "<p>The <a href=\"/api/docs\">HTTP API</a> and the command <code>belfry</code> work without it.</p></body></html>";

const ConsoleFile* find_file(std::string_view path) {
    const auto files = console_files();
    const auto found = std::ranges::find(files, path, &ConsoleFile::path);
    return found == files.end() ? nullptr : &*found;
}

Result<Response> send_file(const ConsoleFile& file, const Request& request, const char* cache) {
    Response response{200,
                      {{"Content-Type", std::string(file.media)},
                       {"Cache-Control", cache},
                       {"Content-Security-Policy", kPolicy},
                       {"Referrer-Policy", "no-referrer"}},
                      {}};
    if (accepts_gzip(request.header("Accept-Encoding"))) {
        response.headers.emplace_back("Content-Encoding", "gzip");
        response.headers.emplace_back("Vary", "Accept-Encoding");
        response.body = file.gzip;
        return response;
    }
    auto plain = gunzipped(file.gzip, kFileMax);
    if (!plain) return Error{ErrorCode::unavailable, "there is no memory for this file; retry later", {}};
    response.body = std::move(*plain);
    return response;
}

Result<Response> view(const Call& call) {
    if (const auto* const page = find_file("/index.html")) return send_file(*page, call.request, "no-cache");
    return Response{200,
                    {{"Content-Type", kPage}, {"Cache-Control", "no-cache"}, {"Content-Security-Policy", kPolicy}},
                    kNoConsole};
}

// The name of an asset contains a hash of its content, so browsers may keep it for good.
Result<Response> asset(const Call& call) {
    const auto* const file = find_file("/assets/" + call.at("file"));
    if (file == nullptr) {
        return Error{
            ErrorCode::not_found, "the console has no file " + in_quotes(call.at("file")) + "; reload the page", {}};
    }
    return send_file(*file, call.request, "public, max-age=31536000, immutable");
}

Route page_route(std::string pattern, std::string operation, std::string summary,
                 std::function<Result<Response>(const Call&)> handler) {
    return {.method = "GET",
            .pattern = std::move(pattern),
            .operation = std::move(operation),
            .summary = std::move(summary),
            .group = "Console",
            .permission = model::Permission::open,
            .handler_checks_query = true,  // the page reads filters, tabs and moments; the server does not
            .answers = {{.status = 200, .media = kPage}},
            .handler = std::move(handler)};
}

}  // namespace

void add_console_routes(Routes& routes) {
    for (const auto& one : kViews)
        routes.push_back(page_route(one.pattern, one.operation, "View the web console.", view));
    routes.push_back(page_route("/assets/{file}", "getConsoleAsset", "Retrieve a file of the web console.", asset));
}

}  // namespace belfry::api
