# The client libraries of brokers. Debian's CMake files for them refer to missing files or define no target.
function(find_broker_client variable library header package)
    find_library(${variable} ${library})
    find_path(${variable}_HEADERS ${header})
    if(NOT ${variable} OR NOT ${variable}_HEADERS)
        message(FATAL_ERROR "${header} and lib${library} are missing: "
                            "install ${package}, or run scripts/run, which installs it")
    endif()
endfunction()

find_broker_client(HIREDIS_LIBRARY hiredis hiredis/hiredis.h libhiredis-dev)
find_broker_client(RABBITMQ_LIBRARY rabbitmq amqp.h librabbitmq-dev)
find_broker_client(NATS_LIBRARY nats nats/nats.h libnats-dev)
