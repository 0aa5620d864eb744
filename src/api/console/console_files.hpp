// The files of the web console, compiled into the program. The build generates the definition (cmake/console.cmake).
#pragma once

#include <span>
#include <string_view>

namespace belfry::api {

struct ConsoleFile {
    std::string_view path;   // `/index.html`, `/assets/main-0a1b2c.js`
    std::string_view media;  // its Content-Type
    std::string_view gzip;   // its bytes, compressed
};

// Empty if the program was built without the console.
[[nodiscard]] std::span<const ConsoleFile> console_files();

}  // namespace belfry::api
