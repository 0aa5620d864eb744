// broker_reader URL SUBJECT [OPTIONS]: what a broker holds for a subject, one JSON object in a line each, for tests
// that are not C++. OPTIONS are a connection's, as JSON. RabbitMQ gives its messages away.
#include <cstdio>

#include "brokers/reading.hpp"

int main(int argc, char** argv) {
    using namespace belfry;
    const auto given = argc == 4 ? parse_json(argv[3]) : Result<Json>(Json(boost::json::object()));
    if (argc < 3 || argc > 4 || !given || !given->is_object()) {
        std::fputs("usage: broker_reader URL SUBJECT [OPTIONS]\n", stderr);
        return 2;
    }
    const auto options = brokers::parse_connection(argv[1], given->get_object());
    if (!options) {
        std::fprintf(stderr, "%s\n", options.error().message.c_str());
        return 2;
    }
    for (const auto& each : test::read_all(*options, argv[2])) {
        boost::json::object headers;
        for (const auto& [name, value] : each.headers) headers[name] = value;
        const Json line(boost::json::object{
            {"key", each.key}, {"contentType", each.content_type}, {"headers", headers}, {"body", each.body}});
        std::puts(to_text(line).c_str());
    }
    return 0;
}
