// How PostgreSQL runs every statement of the store on several thousand schedules: docs/internals/explain.md shows it,
// and these tests hold that no statement reads all of a table that grows.
//
//     WRITE_DOCS=1 build/belfry_contract_tests --gtest_filter='Explain.*'
//
// writes the page instead of comparing it (`make explain`).
#include <gtest/gtest.h>

#include <fstream>
#include <list>
#include <regex>
#include <set>
#include <sstream>

#include "contract/databases/filled_store.hpp"
#include "contract/databases/store_statements.hpp"

namespace belfry::store {

namespace {

namespace explain {

const std::string kPage = std::string(BELFRY_SOURCE_DIR) + "/docs/internals/explain.md";
const std::string kStorePage = std::string(BELFRY_SOURCE_DIR) + "/docs/internals/store.md";
constexpr const char* kMarker = "<!-- Everything below is generated: make explain -->\n";
constexpr int kRowsMin = 30;  // of a table that grows; so many fill several pages

std::string content_of(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The generic plans of statements, as the connections of the store have them or with PostgreSQL's default settings.
class Explainer {
public:
    explicit Explainer(sql::Database& database) : database_(database) {}

    std::string plan(const sql::Statement& statement) {
        const auto rendered = sql::render(statement.text, database_.dialect());
        std::string parameters;
        for (std::size_t i = 0; i < rendered.parameters.size(); ++i) parameters += i == 0 ? "(NULL" : ", NULL";
        if (!parameters.empty()) parameters += ")";
        const auto& explained =
            explained_.emplace_back("explain", "EXPLAIN (COSTS OFF) EXECUTE explained" + parameters);
        std::string lines;
        const auto done = database_.write([&](sql::Session& session) -> Result<void> {
            if (auto set = session.script("PREPARE explained AS " + rendered.text); !set) return set;
            auto run = session.run(explained, {}, [&](const sql::Row& row) { lines += line_of(row.text(0)); });
            if (!run) return run.error();
            return session.script("DEALLOCATE explained");
        });
        EXPECT_TRUE(done) << statement.name << ": " << done.error().message << "\n" << rendered.text;
        return lines;
    }

private:
    // A node, the heading of a part, or the index that finds a conflict. Not conditions: they repeat the statement.
    static std::string line_of(std::string_view text) {
        static const std::regex detail(R"(^ *[A-Z][A-Za-z-]*( [A-Za-z-]+)*: .*)");
        static const std::regex parameters(R"( \(returns [^)]*\))");
        const std::string line(text);
        if (std::regex_match(line, detail) && line.find("Arbiter") == std::string::npos) return {};
        return std::regex_replace(line, parameters, "") + "\n";
    }

    sql::Database& database_;
    std::list<sql::Statement> explained_ = {};  // connections know them by their addresses
};

struct Plan {
    const sql::Statement* statement = nullptr;
    std::string as_the_store = {};
};
struct PlanSection {
    std::string title;
    std::vector<Plan> plans = {};
};

// Made once for all tests: filling the database takes longer than they do.
const std::vector<PlanSection>& all_plans() {
    static const std::vector<PlanSection> all = [] {
        const PostgresPlace place;
        fill_store(*open_store_on(place));
        test::run_sql(place.url(), "VACUUM ANALYZE");
        for (const auto& table : growing_tables()) {
            const auto rows = test::query_sql(place.url(), "SELECT count(*) FROM " + table);
            EXPECT_GE(std::stoi(rows), kRowsMin) << table << " has too few rows for a plan that says anything";
        }
        const auto database = place.open();
        Explainer explainer(*database);
        std::vector<PlanSection> sections;
        for (const auto& [title, statements] : statements_of_store("postgres")) {
            auto& section = sections.emplace_back(PlanSection{title});
            for (const auto* statement : statements) {
                section.plans.push_back({statement, explainer.plan(*statement)});
            }
        }
        return sections;
    }();
    return all;
}

// These read all of a table or an index, each for a reason that docs/internals/store.md gives.
bool may_read_all(const PlanSection& section, const Plan& plan) {
    static const std::set<std::string_view> statements{
        "running runs", "queued runs",                          // the tasks of all tenants
        "fill ends of a target", "fill last ends of a target",  // once, when the first condition reads a target
    };
    return section.title.starts_with("Whole tables") || statements.contains(plan.statement->name);
}

std::string generated() {
    std::string text = kMarker;
    for (const auto& [title, plans] : all_plans()) {
        if (plans.empty()) continue;
        text += "\n## " + title + "\n\n```\n";
        for (const auto& plan : plans) {
            if (!text.ends_with("```\n")) text += "\n";
            std::istringstream lines(plan.as_the_store);
            text += std::string(plan.statement->name) + "\n";
            for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
        }
        text += "```\n";
    }
    return text;
}

}  // namespace explain

TEST(Explain, NoStatementReadsAllOfATableThatGrows) {
    for (const auto& section : explain::all_plans()) {
        for (const auto& plan : section.plans) {
            if (explain::may_read_all(section, plan)) continue;
            for (const auto& table : growing_tables()) {
                const std::regex scan("Seq Scan on " + table + "\\b");
                EXPECT_FALSE(std::regex_search(plan.as_the_store, scan)) << plan.statement->name << "\n"
                                                                         << plan.as_the_store;
            }
        }
    }
}

TEST(Explain, TheStoresPageNamesEveryIndexThatAPlanUses) {
    const auto page = explain::content_of(explain::kStorePage);
    const std::regex use(R"(Index (?:Only )?Scan (?:Backward )?using (\w+))");
    for (const auto& section : explain::all_plans()) {
        for (const auto& plan : section.plans) {
            const auto& text = plan.as_the_store;
            for (std::sregex_iterator found(text.begin(), text.end(), use), end; found != end; ++found) {
                EXPECT_NE(page.find("| `" + (*found)[1].str() + "` |"), std::string::npos) << (*found)[1];
            }
        }
    }
}

TEST(Explain, ThePageShowsThesePlans) {
    const auto page = explain::content_of(explain::kPage);
    const auto begin = page.find(explain::kMarker);
    ASSERT_NE(begin, std::string::npos) << explain::kPage << " has lost its marker";
    const auto generated = explain::generated();
    if (std::getenv("WRITE_DOCS")) {
        std::ofstream(explain::kPage) << page.substr(0, begin) << generated;
        return;
    }
    EXPECT_EQ(page.substr(begin), generated) << "the plans have changed; if that is right: make explain";
}

}  // namespace

}  // namespace belfry::store
