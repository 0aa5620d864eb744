// What a broker holds, read with its own client library and nothing of ours.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "brokers/connection_options.hpp"

namespace belfry::test {

struct Arrived {
    std::string key;
    std::string body;
    std::string content_type;
    std::map<std::string, std::string> headers;
};

// All messages of a subject, oldest first. What was read may be gone afterwards.
[[nodiscard]] std::vector<Arrived> read_all(const brokers::ConnectionOptions& options, const std::string& subject);

// One command to Redis; an error ends the program.
void run_redis(const brokers::ConnectionOptions& options, const std::vector<std::string>& command);
void delete_queue(const brokers::ConnectionOptions& options, const std::string& queue);
void make_queue(const brokers::ConnectionOptions& options, const std::string& queue, int length_max = 0);

}  // namespace belfry::test
