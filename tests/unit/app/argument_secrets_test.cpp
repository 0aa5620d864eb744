#include "app/settings/argument_secrets.hpp"

#include <gtest/gtest.h>

#include <string>

namespace belfry::app {
namespace {

std::string hidden(std::string argument) {
    const auto size = argument.size();
    const bool had_one = has_password(argument);
    EXPECT_EQ(hide_passwords(argument.data()), had_one) << argument;
    EXPECT_EQ(argument.size(), size);
    return argument.substr(0, argument.find_last_not_of(' ') + 1);
}

TEST(ArgumentSecrets, PasswordsOfAddressesAreOverwritten) {
    EXPECT_EQ(hidden("postgres://ada:secret@db/belfry"), "postgres://ada:***@db/belfry");
    EXPECT_EQ(hidden("--store=postgresql://ada:s3cr@t/x@db:5432/belfry?sslmode=require"),
              "--store=postgresql://ada:***@db:5432/belfry?sslmode=require");
    EXPECT_EQ(hidden("postgres://ada@db/belfry?password=secret&sslpassword=other"),
              "postgres://ada@db/belfry?password=***&sslpassword=***");
    EXPECT_EQ(hidden("amqp://guest:guest@localhost"), "amqp://guest:***@localhost");
    EXPECT_EQ(hidden("postgres://ada:x@db/belfry"), "postgres://ada:***@db/belf") << "there is no room for more";
}

TEST(ArgumentSecrets, WhatHasNoPasswordStaysAsItIs) {
    for (const auto* const argument :
         {"serve", "", "sqlite:/var/lib/belfry.db", "postgres://ada@db:5432/belfry", "postgres://db/belfry",
          "http://localhost:80/a", "postgres://ada:@db/belfry", "password=secret", "a:b@c"}) {
        EXPECT_EQ(hidden(argument), argument);
    }
}

}  // namespace
}  // namespace belfry::app
