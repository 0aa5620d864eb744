#include "support/servers/postgres_cluster.hpp"

#include <fcntl.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace belfry::test {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "PostgreSQL for tests: %s\n", why.c_str());
    std::exit(EXIT_FAILURE);
}

// Where the server's programs are: Debian keeps them out of PATH, one folder for every version. The newest wins.
std::string programs() {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
        if (fs::exists(version.path() / "bin/pg_ctl")) found.push_back((version.path() / "bin").string());
    }
    if (!found.empty()) return *std::ranges::max_element(found);
    std::string folder;
    // NOLINTNEXTLINE(cert-env33-c): a constant command
    if (FILE* pipe = popen("pg_config --bindir 2>/dev/null", "re")) {
        for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe)) folder += static_cast<char>(c);
        pclose(pipe);
    }
    if (!fs::exists(folder + "/pg_ctl"))
        give_up("pg_ctl is neither in /usr/lib/postgresql/*/bin nor where pg_config says");
    return folder;
}

// In memory where there is room, because a disk makes hundreds of small databases slow to make and to remove. The
// server syncs all the same; TMPDIR puts it on a disk.
std::string place() {
    constexpr std::uintmax_t kRoomNeeded = 2ULL << 30U;
    std::error_code none;
    const bool chosen = std::getenv("TMPDIR") != nullptr;
    const auto memory = fs::space("/dev/shm", none);
    return !chosen && !none && memory.available > kRoomNeeded ? "/dev/shm" : fs::temp_directory_path().string();
}

bool is_root() { return geteuid() == 0; }

// PostgreSQL refuses to run as root.
std::string as_postgres() { return is_root() ? "setpriv --reuid postgres --regid postgres --init-groups " : ""; }

std::string shell_word(const std::string& text) { return "'" + text + "'"; }  // of paths that we chose ourselves

// Returns whether it succeeded; what it says goes to `log`.
bool run_quietly(const std::string& command, const std::string& log) {
    // From /, because the user postgres may not enter the current folder.
    // NOLINTNEXTLINE(cert-env33-c): of programs and paths that we chose ourselves
    return std::system(("cd / && " + command + " >>" + shell_word(log) + " 2>&1 </dev/null").c_str()) == 0;
}

std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Free when we looked. Whoever takes it in between makes the start fail, and another one is tried.
std::uint16_t free_port() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) give_up("no free port");
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    close(listener);
    return ntohs(address.sin_port);
}

std::string stop_command(const std::string& folder) {
    return as_postgres() + programs() + "/pg_ctl -D " + shell_word(folder + "/data") + " -m immediate stop";
}

struct Answer {
    bool succeeded = false;
    std::string text;  // the first column of the first row, or why there is none
};

Answer ask(const std::string& url, const std::string& text) {
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(url.c_str()), PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) return {false, PQerrorMessage(connection.get())};
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), text.c_str()), PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) return {false, PQresultErrorMessage(result.get())};
    return {true, PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0)};
}

// Several processes make databases in one cluster at the same time.
std::string new_name() {
    static std::random_device random;
    return "test_" + std::to_string(random()) + "_" + std::to_string(getpid());
}

// The URL with another database in its path.
std::string with_database(const std::string& url, const std::string& name) {
    const auto path = url.find('/', url.find("://") + 3);
    const auto query = url.find('?');
    return url.substr(0, std::min(path, query)) + "/" + name + (query == std::string::npos ? "" : url.substr(query));
}

std::string url_from_environment() {
    if (const char* url = std::getenv("BELFRY_TEST_POSTGRES"); url != nullptr && *url != 0) return url;
    const char* folder = std::getenv("BELFRY_TEST_POSTGRES_FOLDER");
    if (folder == nullptr || *folder == 0) return {};
    auto url = contents(std::string(folder) + "/url");
    if (url.empty()) give_up(std::string("there is no running fixture in ") + folder);
    return url.substr(0, url.find('\n'));
}

}  // namespace

PostgresCluster::PostgresCluster() {
    make_folder();
    guard();
    // Not synced: a crash of the machine may take a test's cluster with it. The running server syncs as usual.
    const auto initdb = as_postgres() + programs() + "/initdb --no-sync --no-locale -E UTF8 -A trust -U postgres -D " +
                        shell_word(folder_ + "/data");
    if (!run_quietly(initdb, folder_ + "/log")) give_up("initdb failed:\n" + contents(folder_ + "/log"));
    start();
}

void PostgresCluster::make_folder() {
    folder_ = place() + "/belfry-postgres-XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) give_up("no temporary folder");
    const passwd* owner = is_root() ? getpwnam("postgres") : nullptr;
    if (is_root() && (owner == nullptr || chown(folder_.c_str(), owner->pw_uid, owner->pw_gid) != 0))
        give_up("there is no user postgres");
}

// A shell that waits for the end of a pipe that only we hold open: it sees our end however we end. It is nobody's
// child, so that whoever kills us and our children (as ctest does when time is up) does not find it.
void PostgresCluster::guard() {
    int ours[2];
    int its[2];
    if (pipe2(ours, O_CLOEXEC) != 0 || pipe2(its, O_CLOEXEC) != 0) give_up("no pipe");
    std::string shell = "sh";
    std::string option = "-c";
    auto command = "cd /; (read order; test \"$order\" = keep || { " + stop_command(folder_) + " >&2; rm -rf " +
                   shell_word(folder_) + "; }) <&3 &";
    char* const arguments[] = {shell.data(), option.data(), command.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ours[0], 3);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // so that Ctrl-C does not end it with us
    pid_t pid = -1;
    if (posix_spawnp(&pid, "sh", &actions, &attributes, arguments, environ) != 0) give_up("no shell");
    waitpid(pid, nullptr, 0);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ours[0]);
    close(its[1]);
    to_guardian_ = ours[1];
    from_guardian_ = its[0];
}

PostgresCluster::~PostgresCluster() {
    close(to_guardian_);
    char nothing = 0;
    while (read(from_guardian_, &nothing, 1) > 0) continue;  // it says nothing, and then it is done
    close(from_guardian_);
}

void PostgresCluster::leave_running() const {
    if (write(to_guardian_, "keep\n", 5) != 5) give_up("the guardian is gone");
}

void PostgresCluster::start() {
    constexpr int kAttempts = 5;
    const auto log = folder_ + "/log";
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const bool first_start = port_ == 0;
        if (first_start) port_ = free_port();
        const auto settings = "-c listen_addresses=127.0.0.1 -c port=" + std::to_string(port_) +
                              " -c unix_socket_directories=" + folder_ +
                              " -c max_connections=100 -c shared_buffers=32MB -c max_wal_size=256MB";
        const auto command = as_postgres() + programs() + "/pg_ctl -D " + shell_word(folder_ + "/data") + " -l " +
                             shell_word(folder_ + "/server.log") + " -o " + shell_word(settings) + " -w start";
        if (run_quietly(command, log)) return;
        if (first_start) port_ = 0;
    }
    give_up("the server does not start:\n" + contents(log) + contents(folder_ + "/server.log"));
}

void PostgresCluster::stop_now() {
    if (!run_quietly(stop_command(folder_), folder_ + "/log"))
        give_up("the server does not stop:\n" + contents(folder_ + "/log"));
}

void PostgresCluster::restart_immediate() {
    stop_now();
    start();
}

std::string PostgresCluster::url(const std::string& database) const {
    return "postgres://postgres@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string PostgresCluster::new_database() const {
    const auto name = new_name();
    run_sql(url(), "CREATE DATABASE " + name);
    return url(name);
}

void stop_cluster(const std::string& folder) {
    run_quietly(stop_command(folder), folder + "/log");
    fs::remove_all(folder);
}

// Connects once, so that libpq and TLS are set up before us and torn down after us.
SharedCluster::SharedCluster() : url_(url_from_environment()) {
    if (url_.empty()) {
        own_ = std::make_unique<PostgresCluster>();
        url_ = own_->url();
    }
    run_sql(url_, "SELECT 1");
}

SharedCluster::~SharedCluster() {
    if (own_) return;  // its folder goes, and everything in it
    for (const auto& name : databases_) {
        const auto dropped = ask(url_, "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
        if (!dropped.succeeded) std::fprintf(stderr, "%s stays behind: %s\n", name.c_str(), dropped.text.c_str());
    }
}

std::string SharedCluster::new_database() {
    databases_.push_back(new_name());
    run_sql(url_, "CREATE DATABASE " + databases_.back());
    return with_database(url_, databases_.back());
}

SharedCluster& shared_cluster() {
    static SharedCluster cluster;
    return cluster;
}

void copy_database(const std::string& from, const std::string& to) {
    const auto command = programs() + "/pg_dump " + shell_word(from) + " | " + programs() +
                         "/psql -q -v ON_ERROR_STOP=1 " + shell_word(to);
    // NOLINTNEXTLINE(cert-env33-c): of programs that we chose and databases that we made
    if (std::system((command + " >/dev/null").c_str()) != 0) give_up("a database cannot be copied");
}

std::string query_sql(const std::string& url, const std::string& text) {
    auto answer = ask(url, text);
    if (!answer.succeeded) give_up(text + ": " + answer.text);
    return answer.text;
}

void run_sql(const std::string& url, const std::string& text) { (void)query_sql(url, text); }

}  // namespace belfry::test
