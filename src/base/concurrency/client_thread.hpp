// Whether this thread serves client requests. There are many such threads. The resources that they share with the
// engine, above all database connections, reserve a part for the engine, so that schedules fire however many clients
// wait.
#pragma once

namespace belfry {

inline thread_local bool serves_clients = false;

}  // namespace belfry
