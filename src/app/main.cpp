#include <iostream>

#include "app/commands.hpp"

int main(int argc, char** argv) {
    using namespace belfry;
    const auto zones = spec::ZoneDatabase::open(spec::ZoneDatabase::system_folder());
    if (!zones) {
        std::cerr << "error: " << zones.error().message << '\n';
        return static_cast<int>(app::ExitCode::failed);
    }
    const SystemClock clock;
    const app::Console console(std::cout, std::cerr, app::standard_screen(), clock, *zones);
    const auto result = app::run(argc, argv, console);
    // A full disk or a closed pipe must not look like success.
    if (!std::cout.flush()) {
        std::cerr << "error: cannot write the output\n";
        return static_cast<int>(app::ExitCode::failed);
    }
    return static_cast<int>(result);
}
