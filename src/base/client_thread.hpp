// Whether this thread serves requests of clients. There are many such threads, and what they share with the few of the engine, above all
// connections to a database, keeps a part for the engine: however many clients wait, schedules fire.
#pragma once

namespace belfry {

inline thread_local bool serves_clients = false;

}  // namespace belfry
