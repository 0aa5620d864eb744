#include "api/contract/cursor.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

TEST(Cursor, AnyTextTravelsInAnAddressAndComesBack) {
    for (const std::string cursor : {"", "12.a b&c=%/ü", "\n\x7f"}) {
        const auto text = cursor_text(cursor);
        EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
        EXPECT_EQ(*parse_cursor(text), cursor);
    }
}

TEST(Cursor, WhatNoListAnsweredIsRefused) {
    for (const auto* text : {"1", "zz", "0x", "-1", " 1", "12 ", "00", "ff"}) EXPECT_FALSE(parse_cursor(text)) << text;
}

}  // namespace belfry::api
