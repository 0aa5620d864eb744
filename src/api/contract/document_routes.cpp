// Routes for the description of the API, as an OpenAPI document and as a page.
#include <memory>

#include "api/contract/openapi.hpp"
#include "api/handlers.hpp"

namespace belfry::api {

void add_document_routes(Routes& routes) {
    // Filled below, after these two routes are in the table as well.
    const auto document = std::make_shared<std::string>();
    const auto page = std::make_shared<std::string>();
    routes.push_back({.method = "GET",
                      .pattern = "/api/openapi.json",
                      .operation = "getOpenApi",
                      .summary = "Retrieve the OpenAPI 3.1 document of this API.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, map_of(anything())}},
                      .handler = [document](const Call&) -> Result<Response> {
                          return Response{200, {{"Content-Type", kJsonMedia}}, *document};
                      }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/docs",
                      .operation = "getDocs",
                      .summary = "View the API reference as a web page.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{.status = 200, .media = "text/html"}},
                      .handler = [page](const Call&) -> Result<Response> {
                          return Response{
                              200,
                              {{"Content-Type", "text/html; charset=utf-8"},
                               {"Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}},
                              *page};
                      }});
    const auto described = openapi_document(routes, BELFRY_VERSION);
    *document = to_text(described);
    *page = openapi_page(described);
}

}  // namespace belfry::api
