#include "model/schedule/reference.hpp"

#include <gtest/gtest.h>

#include "base/text/json_pointer.hpp"

namespace belfry::model::reference_test {
namespace {

using Source = Reference::Source;

Json json(std::string_view text) { return parse_json(text).value(); }

// {"input": …, "nodes": {"a": …}, "run": {"id": …}}
Lookup lookup_in(const Json& world) {
    return [&world](const Reference& reference) -> const Json* {
        const auto& object = world.get_object();
        const auto* root = reference.source == Source::input ? object.if_contains("input")
                           : reference.source == Source::node
                               ? object.at("nodes").get_object().if_contains(reference.name)
                               : object.at("run").get_object().if_contains(reference.name);
        return root == nullptr ? nullptr : JsonPointer::parse(reference.pointer).value().find(*root);
    };
}

std::string resolved(std::string_view value, const Json& world) {
    const auto result = resolve(json(value), lookup_in(world));
    return result ? to_text(*result) : "refused: " + result.error().field + " " + result.error().message;
}

const char* const kWorld =
    R"({"input":{"audience":"tech","n":3,"a/b":[true]},"nodes":{"a":{"items":[{"id":7},"x"],"none":null},)"
    R"("b-2_":"done"},"run":{"id":"r-1","scheduledAt":"2026-06-01T09:00:00Z"}})";

TEST(Reference, AreFoundInTheirOrder) {
    const auto found = references_in(json(
        R"({"x":["${nodes.a.output/items/0}",1,"to ${input/audience} at ${run.scheduledAt}"],"y":{"z":"${input}"},)"
        R"("n":"$${input}"})"));
    ASSERT_TRUE(found);
    const std::vector<Reference> expected{{Source::node, "a", "/items/0"},
                                          {Source::input, "", "/audience"},
                                          {Source::run, "scheduledAt", ""},
                                          {Source::input, "", ""}};
    EXPECT_EQ(*found, expected);
    for (const auto& reference : *found)
        EXPECT_EQ(references_in(Json(text_of(reference))).value(), std::vector{reference});
}

TEST(Reference, KnowTheirPlace) {
    const auto found = placed_references_in(json(R"({"a/b":[0,"${input}"]})"));
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (std::vector<PlacedReference>{{{Source::input, "", ""}, "/a~1b/1"}}));
}

TEST(Reference, AStringThatIsOneReferenceBecomesTheValue) {
    const auto world = json(kWorld);
    EXPECT_EQ(resolved(R"({"x":"${nodes.a.output/items/0}","y":"${input/n}","z":["${nodes.a.output/none}"]})", world),
              R"({"x":{"id":7},"y":3,"z":[null]})");
    EXPECT_EQ(resolved(R"("${nodes.b-2_.output}")", world), R"("done")");
    EXPECT_EQ(resolved(R"("${input/a~1b/0}")", world), "true");
}

TEST(Reference, InsideALongerStringStringsStandAsTheyAreAndTheRestAsJson) {
    const auto world = json(kWorld);
    EXPECT_EQ(resolved(R"("${input/audience}: ${nodes.a.output/items}, ${input/n}!")", world),
              R"("tech: [{\"id\":7},\"x\"], 3!")");
    EXPECT_EQ(resolved(R"("${run.id}${run.id}")", world), R"("r-1r-1")");
}

TEST(Reference, TwoDollarsStandForOne) {
    const auto world = json(kWorld);
    EXPECT_EQ(resolved(R"("$${input}")", world), R"("${input}")");
    EXPECT_EQ(resolved(R"("a $${x} ${input/n} $${")", world), R"("a ${x} 3 ${")");
    EXPECT_EQ(resolved(R"("$ $$ $x {} $$${x}")", world), R"("$ $$ $x {} $${x}")");
    EXPECT_EQ(resolved(R"({"$${k}":"$"})", world), R"({"${k}":"$"})");
    EXPECT_EQ(resolved(R"({"":""})", world), R"({"":""})");
}

TEST(Reference, WhatIsPutInIsNotSearchedAgain) {
    EXPECT_EQ(resolved(R"(["${input}","<${input}>"])", json(R"({"input":"${run.id} $${"})")),
              R"(["${run.id} $${","<${run.id} $${>"])");
}

TEST(Reference, OneThatLeadsNowhereIsNamed) {
    const auto world = json(kWorld);
    EXPECT_EQ(resolved(R"({"a":["${nodes.a.output/items/2}"]})", world),
              "refused: /a/0 the reference ${nodes.a.output/items/2} has no value");
    EXPECT_EQ(resolved(R"("to ${nodes.c.output}")", world), "refused:  the reference ${nodes.c.output} has no value");
    EXPECT_EQ(resolved(R"("${input/missing}")", world), "refused:  the reference ${input/missing} has no value");
}

struct Malformed {
    const char* text;
    const char* says;
};

TEST(Reference, MalformedOnesSayWhatIsAllowed) {
    const std::string allowed = "use ${nodes.ID.output/path}, ${input/path} or ${run.NAME}, and $${ for ${ itself";
    const Malformed rows[] = {
        {"${", "has no }"},
        {"a ${input", "has no }"},
        {"${}", "use ${nodes."},
        {"${ input }", "use ${nodes."},
        {"${inputs/x}", "use ${nodes."},
        {"${input.x}", "use ${nodes."},
        {"${nodes.a}", "use ${nodes."},
        {"${nodes..output}", "\"\" is not a node id: use 1 to 64 letters, digits, _ and -"},
        {"${nodes.a.b.output}", "\"a.b\" is not a node id"},
        {"${nodes.output}", "use ${nodes."},
        {"${nodes.a.output.x}", "use ${nodes."},
        {"${nodes.a.result/x}", "use ${nodes."},
        {"${input/~2}", "inside a name use \"~0\""},
        {"${run.scheduled_at}", "a run has no \"scheduled_at\"; did you mean \"scheduledAt\"?"},
        {"${run.colour}",
         "a run has no \"colour\"; it has id, scheduledAt, idempotencyKey, instanceId, scheduleName, tenant"},
        {"${run.id/x}", "remove \"/x\""},
    };
    for (const auto& row : rows) {
        const auto found = references_in(Json{{"k", row.text}});
        ASSERT_FALSE(found) << row.text;
        EXPECT_EQ(found.error().field, "/k");
        EXPECT_NE(found.error().message.find(row.says), std::string::npos) << row.text << ": " << found.error().message;
        EXPECT_FALSE(resolve(Json(row.text), lookup_in(json(kWorld)))) << row.text;
    }
    EXPECT_EQ(references_in(Json("x ${y}")).error().message, "the reference \"${y}\": " + allowed);
    EXPECT_EQ(references_in(Json("x ${y}")).error().place, (Place{3, 4}));
}

TEST(Reference, AllMalformedOnesAreToldAtOnceUpToABound) {
    const auto found = references_in(json(R"({"a":"${x}","b":["${y}"],"${input}":1})"));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().field, "/a");
    ASSERT_EQ(found.error().more.size(), 2U);
    EXPECT_EQ(found.error().more[0].field, "/b/0");
    EXPECT_EQ(found.error().more[1].field, "/${input}");
    EXPECT_EQ(found.error().more[1].message,
              "a reference is allowed in a value, not in a key; write $${ for a literal ${");
    boost::json::array many(1'000, "${x}");
    EXPECT_EQ(references_in(many).error().more.size(), kReferenceErrorsMax - 1);
}

TEST(Reference, ALargeValueReferredToManyTimesIsRefusedBeforeItIsCopied) {
    const Json world{
        {"input", std::string(600'000, 'x')}, {"nodes", boost::json::object()}, {"run", boost::json::object()}};
    EXPECT_TRUE(resolve(json(R"(["${input}"])"), lookup_in(world)));
    for (const Json& value : {Json(boost::json::array(1'000, "${input}")), Json("${input} ${input}")}) {
        const auto result = resolve(value, lookup_in(world));
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().message, "the value with its references resolved has more than 1048576 bytes");
    }
}

TEST(Reference, WhatItMakesIsNoDeeperThanARequestMayBe) {
    const auto nested = [](std::size_t depth) { return json(std::string(depth, '[') + std::string(depth, ']')); };
    const Json world{{"input", nested(31)}, {"nodes", boost::json::object()}, {"run", boost::json::object()}};
    EXPECT_TRUE(resolve(json(R"(["${input}"])"), lookup_in(world)));
    EXPECT_EQ(resolve(json(R"([["${input}"]])"), lookup_in(world)).error().message,
              "the value with ${input} resolved is more than 32 levels deep");
    EXPECT_TRUE(resolve(json(R"([["as text ${input}"]])"), lookup_in(world)));
}

TEST(Reference, ExactNumbersPassThrough) {
    const auto world = parse_json(R"({"input":2.9999999999999999999})", {.numbers = JsonNumbers::exact}).value();
    const auto value =
        parse_json(R"([1.00000000000000000001,"${input}","<${input}>"])", {.numbers = JsonNumbers::exact}).value();
    EXPECT_EQ(to_text(resolve(value, lookup_in(world)).value()),
              R"([1.00000000000000000001,2.9999999999999999999,"<2.9999999999999999999>"])");
}

TEST(Reference, TextsCanBeCheckedBeforeTheirValuesAreKnown) {
    EXPECT_EQ(with_placeholders("a/${input/x}/$${b}/${run.id}", "1").value(), "a/1/${b}/1");
    EXPECT_EQ(literal_start("a/$${b}${input/x}/c").value(), "a/${b}");
    EXPECT_EQ(literal_start("${input/x}/c").value(), "");
    EXPECT_EQ(literal_start("").value(), "");
    EXPECT_FALSE(with_placeholders("${x}", "1"));
}

}  // namespace
}  // namespace belfry::model::reference_test
