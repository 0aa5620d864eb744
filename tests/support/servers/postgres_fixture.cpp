// One PostgreSQL for a whole run of ctest: `postgres_fixture start FOLDER` starts a cluster and writes FOLDER/url, and
// `postgres_fixture stop FOLDER` ends it and removes the folder. The cluster itself lives in a temporary folder, named
// in FOLDER/cluster, because a build tree may be closed to the user postgres and its path too long for a socket.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/servers/postgres_cluster.hpp"

namespace {

namespace fs = std::filesystem;

void stop(const fs::path& folder) {
    std::string cluster;
    std::ifstream(folder / "cluster") >> cluster;
    if (!cluster.empty()) belfry::test::stop_cluster(cluster);
    fs::remove_all(folder);
}

void start(const fs::path& folder) {
    stop(folder);  // what a run left that was killed
    fs::create_directories(folder);
    belfry::test::PostgresCluster cluster;
    std::ofstream(folder / "cluster") << cluster.folder() << '\n';
    std::ofstream(folder / "url") << cluster.url() << '\n';
    cluster.leave_running();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string verb = argc == 3 ? argv[1] : "";
    if (verb == "start") {
        start(argv[2]);
    } else if (verb == "stop") {
        stop(argv[2]);
    } else {
        std::fputs("usage: postgres_fixture start|stop FOLDER\n", stderr);
        return 2;
    }
    return 0;
}
