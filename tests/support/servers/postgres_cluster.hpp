// PostgreSQL for tests: private clusters in temporary folders, with the durable settings that PostgreSQL has by
// default.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace belfry::test {

// A cluster of its own. It ends, and its folder goes, with this object or with the process, even when that is killed. A
// root starts it as the user `postgres`. What cannot be set up ends the program: there is nothing to test then.
class PostgresCluster {
public:
    PostgresCluster();
    ~PostgresCluster();
    PostgresCluster(const PostgresCluster&) = delete;
    PostgresCluster& operator=(const PostgresCluster&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }
    // Of a database of that name, over TCP on loopback.
    [[nodiscard]] std::string url(const std::string& database = "postgres") const;
    // Makes an empty one.
    [[nodiscard]] std::string new_database() const;

    // As if the machine lost its power: nobody is told, and the next start recovers.
    void stop_now();
    void start();
    void restart_immediate();

    // Lets it live on; only stop_cluster() ends it.
    void leave_running() const;

private:
    void make_folder();
    void guard();

    std::string folder_;
    std::uint16_t port_ = 0;
    int to_guardian_ = -1;    // a pipe: when it closes, the guardian removes the cluster
    int from_guardian_ = -1;  // a pipe: when it closes, the guardian is done
};

// Ends what was left running in the folder of a cluster, and removes the folder.
void stop_cluster(const std::string& folder);

// A database that is there for the whole process: the cluster that BELFRY_TEST_POSTGRES (a URL) or
// BELFRY_TEST_POSTGRES_FOLDER (see postgres_fixture) names, otherwise one that this process starts.
class SharedCluster {
public:
    SharedCluster();
    ~SharedCluster();  // removes its databases
    SharedCluster(const SharedCluster&) = delete;
    SharedCluster& operator=(const SharedCluster&) = delete;

    // The URL of a new, empty database.
    [[nodiscard]] std::string new_database();

private:
    std::unique_ptr<PostgresCluster> own_;
    std::string url_;
    std::vector<std::string> databases_;
};

// Started when it is asked for the first time. Not thread-safe.
[[nodiscard]] SharedCluster& shared_cluster();

// Copies all that is in one database into another, which is empty, as pg_dump and psql do it.
void copy_database(const std::string& from, const std::string& to);

// Runs statements on a connection of their own; an error ends the program.
void run_sql(const std::string& url, const std::string& text);

// The first column of the first row, or an empty text.
[[nodiscard]] std::string query_sql(const std::string& url, const std::string& text);

}  // namespace belfry::test
