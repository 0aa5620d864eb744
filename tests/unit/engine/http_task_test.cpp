#include "engine/outgoing/http_task.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/net/curl_http_client.hpp"
#include "base/net/http_errors.hpp"
#include "engine/outgoing/task_signing.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "support/fakes/fake_http.hpp"
#include "support/servers/http_receiver.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::engine {
namespace {

using model::ExecutionStatus;
using model::FailureCategory;
using test::header_of;
using test::json;

const Instant kNow = parse_instant("2026-06-01T10:00:05Z").value();

model::Task task(Json input) {
    model::Task task;
    task.run_id = "run-1";
    task.schedule_id = "0197a1b2-0000-7000-8000-000000000001";
    task.tenant = "default";
    task.schedule_name = "report";
    task.idempotency_key = "key-1";
    task.instance_id = "schedule:report:1";
    task.kind = model::NodeKind::http;
    task.input = std::move(input);
    task.slot = {model::RunCause::tick, parse_instant("2026-06-01T10:00:00Z").value()};
    task.attempt = 2;
    return task;
}

model::Task get(const std::string& url = "https://example.com/") { return task(Json{{"method", "GET"}, {"url", url}}); }

Sealer::Keys keys(std::vector<SealingKey> all) {
    return [all = std::move(all)]() -> Result<std::vector<SealingKey>> { return all; };
}
const SealingKey kOld(kSealingKeyBytes, 'o');
const SealingKey kNew(kSealingKeyBytes, 'n');

class HttpTaskTest : public testing::Test {
protected:
    decide::AttemptEnd run(const model::Task& wanted) { return HttpTask(http, &sealer).run(wanted, kNow).value(); }
    decide::AttemptEnd answered(HttpAnswer answer, const model::Task& wanted = get()) {
        http.answer([answer](const HttpCall&) { return answer; });
        return run(wanted);
    }
    decide::AttemptEnd refused(Error error) {
        http.answer([error](const HttpCall&) -> Result<HttpAnswer> { return error; });
        return run(get());
    }
    HttpCall sent(const model::Task& wanted) {
        http.answer(200);
        EXPECT_EQ(run(wanted).status, ExecutionStatus::succeeded);
        return http.take().at(0);
    }

    test::FakeHttp http;
    Sealer sealer{keys({kNew, kOld})};
};

// --- What is sent
// ----------------------------------------------------------------------------------------------------------

TEST_F(HttpTaskTest, TheCallSaysForWhichRunItIsAndCarriesTheKeyOfTheTask) {
    auto wanted = get("https://example.com/a?b=c");
    wanted.schedule_name = "täglich 100%";
    const auto call = sent(wanted);
    EXPECT_EQ(call.method, "GET");
    EXPECT_EQ(format_url(call.url), "https://example.com/a?b=c");
    EXPECT_EQ(header_of(call, "Idempotency-Key"), "key-1");
    EXPECT_EQ(header_of(call, "belfry-run-id"), "run-1");
    EXPECT_EQ(header_of(call, "belfry-schedule"), "t%C3%A4glich%20100%25");
    EXPECT_EQ(header_of(call, "belfry-scheduled-at"), "2026-06-01T10:00:00Z");
    EXPECT_EQ(header_of(call, "belfry-attempt"), "2");
    EXPECT_EQ(header_of(call, "belfry-node"), "");
    EXPECT_EQ(header_of(call, "webhook-signature"), "") << "nobody asked for it";
    EXPECT_EQ(header_of(call, "Content-Type"), "") << "there is no body";
    for (const auto& header : call.own_headers) EXPECT_TRUE(check_header(header)) << header.first;
    wanted.node = "fetch";
    EXPECT_EQ(header_of(sent(wanted), "belfry-node"), "fetch");
}

TEST_F(HttpTaskTest, AllAttemptsOfARunAreOneTraceAndEachIsASpanOfItsOwn) {
    auto wanted = get();
    const auto first = header_of(sent(wanted), "traceparent");
    wanted.attempt += 1;
    const auto second = header_of(sent(wanted), "traceparent");
    ASSERT_EQ(first.size(), 55U);
    EXPECT_EQ(first.substr(0, 36), second.substr(0, 36));
    EXPECT_NE(first, second);
    wanted = task(json(R"({"method":"GET","url":"https://example.com/","headers":{"TraceParent":"theirs"}})"));
    EXPECT_EQ(header_of(sent(wanted), "traceparent"), "") << "the caller's own wins";
}

TEST_F(HttpTaskTest, ABodyIsSentAsJsonOrAsItIs) {
    auto call = sent(task(
        json(R"({"method":"POST","url":"https://example.com/","body":{"a":[1,2.5]},"headers":{"X-Team":"ops"}})")));
    EXPECT_EQ(call.body, R"({"a":[1,2.5]})");
    EXPECT_EQ(header_of(call, "Content-Type"), "application/json");
    EXPECT_EQ(call.headers, (std::vector<HttpHeader>{{"X-Team", "ops"}}));
    call = sent(task(json(R"({"method":"PUT","url":"https://example.com/","body":"a=b"})")));
    EXPECT_EQ(call.body, "a=b");
    EXPECT_EQ(header_of(call, "Content-Type"), "text/plain; charset=utf-8");
    call = sent(task(json(R"({"method":"PUT","url":"https://example.com/","body":"a=b",)"
                          R"("headers":{"content-type":"application/x-www-form-urlencoded"}})")));
    EXPECT_EQ(header_of(call, "Content-Type"), "") << "the caller has said it";
}

TEST_F(HttpTaskTest, TheOnlyTaskOfARunMayNameItsRun) {
    const auto input =
        json(R"({"method":"POST","url":"https://example.com/${run.id}","body":{"at":"${run.scheduledAt}",)"
             R"("who":"${run.tenant}/${run.scheduleName}"}})");
    const auto call = sent(task(input));
    EXPECT_EQ(call.url.target, "/run-1");
    EXPECT_EQ(call.body, R"({"at":"2026-06-01T10:00:00Z","who":"default/report"})");
    // A node's references are resolved already: what looks like one now came from outside.
    auto node = task(json(R"({"method":"POST","url":"https://example.com/","body":"${run.id}"})"));
    node.node = "send";
    EXPECT_EQ(sent(node).body, "${run.id}");
}

TEST_F(HttpTaskTest, TheCallMayTakeAsLongAsItsInputAndTheTaskSay) {
    auto wanted = get();
    EXPECT_EQ(sent(wanted).timeout, kHttpTaskTimeout);
    wanted.timeout = std::chrono::minutes{10};
    EXPECT_EQ(sent(wanted).timeout, std::chrono::minutes{10});
    wanted.input.as_object()["timeoutMs"] = 5'000;
    EXPECT_EQ(sent(wanted).timeout, Seconds{5});
    wanted.timeout = Seconds{2};
    EXPECT_EQ(sent(wanted).timeout, Seconds{2});
    wanted.timeout.reset();
    wanted.input.as_object()["timeoutMs"] = 3'000'000'000'000;
    EXPECT_EQ(sent(wanted).timeout, kHttpTaskTimeoutMax);
}

TEST_F(HttpTaskTest, NoCallTakesLongerThanTheServerAllows) {
    auto wanted = get();
    wanted.timeout = std::chrono::hours{24};
    (void)HttpTask(http, &sealer, Seconds{90}).run(wanted, kNow);
    EXPECT_EQ(http.take().at(0).timeout, Seconds{90});
    EXPECT_FALSE(check_http_timeout(Seconds{90}, Json{{"timeoutMs", 90'000}}));
    EXPECT_FALSE(check_http_timeout(Seconds{90}, Json{{"url", "https://example.com/"}}))
        << "the server's own time is enough";
    const auto refused = check_http_timeout(Seconds{90}, Json{{"timeoutMs", 90'001}});
    EXPECT_EQ(refused->field, "/timeoutMs");
    EXPECT_NE(refused->message.find("http_task_timeout"), std::string::npos);
}

TEST_F(HttpTaskTest, ASignedCallIsSignedForEveryKeyAndItsReceiverCanCheckIt) {
    const auto call =
        sent(task(json(R"({"method":"POST","url":"https://example.com/","body":{"a":1},"signed":true})")));
    EXPECT_EQ(header_of(call, "webhook-id"), "key-1");
    EXPECT_EQ(header_of(call, "webhook-timestamp"), std::to_string(epoch_s(kNow)));
    const auto shown = task_signing_secret(sealer, "default").value();
    Sealer before(keys({kOld}));
    const auto old = task_signing_secret(before, "default").value();
    EXPECT_NE(shown, old);
    const auto expected = [&](const std::string& secret) {
        const std::vector<std::string> one{webhook_key(secret).value()};
        return sign({"key-1", epoch_s(kNow), R"({"a":1})"}, one);
    };
    EXPECT_EQ(header_of(call, "webhook-signature"), expected(shown) + " " + expected(old))
        << "a receiver that has the old secret goes on";
    EXPECT_NE(task_signing_secret(sealer, "other").value(), shown) << "each tenant has its own";
}

TEST_F(HttpTaskTest, WithoutAKeyNothingIsSentUnsignedInstead) {
    const auto wanted = task(json(R"({"method":"GET","url":"https://example.com/","signed":true})"));
    const auto end = HttpTask(http, nullptr).run(wanted, kNow).value();
    EXPECT_EQ(end.category, FailureCategory::contract_violated);
    EXPECT_EQ(end.error, "/signed: this server has no key to sign with");
    Sealer empty([]() -> Result<std::vector<SealingKey>> {
        return Error{ErrorCode::unavailable, "set secret_key_file"};
    });
    EXPECT_EQ(HttpTask(http, &empty).run(wanted, kNow).value().error, "set secret_key_file");
    EXPECT_TRUE(http.take().empty());
}

TEST_F(HttpTaskTest, NothingIsSentForAnInputThatIsNone) {
    struct Row {
        const char* input;
        const char* error;
    };
    for (const auto& [input, error] : {
             Row{"null", R"(an http node's input must be an object, not null; for example {"method": "GET", )"
                         R"("url": "https://example.com/"})"},
             Row{R"({"method":"GET"})", R"(/url: "url" is missing; add it)"},
             Row{R"({"method":"GET","url":"https://example.com/","headers":{"Authorization":"Bearer x"}})",
                 "/headers/Authorization: the header Authorization is set by the server: remove it"},
             Row{R"({"method":"GET","url":"https://example.com/","headers":{"Idempotency-Key":"mine"}})",
                 "/headers/Idempotency-Key: the header Idempotency-Key is set by the server: remove it"},
             Row{R"({"method":"GET","url":"https://example.com/${nodes.a.output}"})",
                 "/url: the reference ${nodes.a.output} has no value"},
         }) {
        const auto end = run(task(json(input)));
        EXPECT_EQ(end.status, ExecutionStatus::failed) << input;
        EXPECT_EQ(end.category, FailureCategory::contract_violated) << input;
        EXPECT_EQ(end.error, error);
    }
    auto node = get("https://example.com/a b");
    node.node = "n";
    EXPECT_EQ(run(node).category, FailureCategory::contract_violated) << "what was put in made no URL of it";
    node = task(json(R"({"method":"GET","url":"https://example.com/${input/x}"})"));
    node.node = "n";
    EXPECT_EQ(run(node).category, FailureCategory::contract_violated) << "what was put in is never a reference";
    EXPECT_TRUE(http.take().empty());
}

// --- What comes of it
// -----------------------------------------------------------------------------------------------------

TEST_F(HttpTaskTest, AnExpectedAnswerIsASuccessWithWhatItSays) {
    const auto end = answered(
        {.status = 201,
         .headers = {{"content-type", "application/json"}, {"set-cookie", "hush"}, {"etag", "\"7\""}, {"server", "x"}},
         .body = R"( {"id": 7} )"});
    EXPECT_EQ(end.status, ExecutionStatus::succeeded);
    EXPECT_EQ(end.category, std::nullopt);
    EXPECT_EQ(
        to_text(end.result),
        R"({"status":201,"headers":{"content-type":"application/json","etag":"\"7\""},"body":{"id":7},"cut":false})");
}

TEST_F(HttpTaskTest, ABodyThatIsNoJsonIsATextThatEveryStoreKeeps) {
    EXPECT_EQ(to_text(answered({.status = 200, .body = std::string("a\0\xff", 3)}).result),
              "{\"status\":200,\"headers\":{},\"body\":\"a\xef\xbf\xbd\xef\xbf\xbd\",\"cut\":false}");
    EXPECT_EQ(to_text(answered({.status = 204}).result), R"({"status":204,"headers":{},"body":null,"cut":false})");
    EXPECT_EQ(to_text(answered({.status = 200, .body = "[1", .cut = true}).result),
              R"({"status":200,"headers":{},"body":"[1","cut":true})");
    const auto deep = std::string(30, '[') + std::string(30, ']');
    EXPECT_TRUE(answered({.status = 200, .body = deep}).result.at("body").is_string())
        << "kept inside of other JSON it would be too deep";
}

TEST_F(HttpTaskTest, WhatTheInputExpectsIsASuccess) {
    const auto expecting = [](const char* expected) {
        return task(
            json(std::string(R"({"method":"GET","url":"https://example.com/","expectedStatus":)") + expected + "}"));
    };
    EXPECT_EQ(answered({.status = 404}, expecting("[404]")).status, ExecutionStatus::succeeded);
    EXPECT_EQ(answered({.status = 302, .headers = {{"location", "/x"}}}, expecting(R"(["3xx"])"))
                  .result.at("headers")
                  .at("location"),
              Json("/x"));
    EXPECT_EQ(answered({.status = 200}, expecting("[404]")).status, ExecutionStatus::failed);
}

TEST_F(HttpTaskTest, EveryOtherAnswerIsAFailureOfItsCategory) {
    struct Row {
        int status;
        ExecutionStatus ends;
        std::optional<FailureCategory> category;
    };
    for (const auto& [status, ends, category] : {
             Row{100, ExecutionStatus::failed, std::nullopt},
             Row{301, ExecutionStatus::failed, std::nullopt},
             Row{304, ExecutionStatus::failed, std::nullopt},
             Row{400, ExecutionStatus::failed, FailureCategory::contract_violated},
             Row{404, ExecutionStatus::failed, FailureCategory::contract_violated},
             Row{408, ExecutionStatus::timed_out, FailureCategory::timeout},
             Row{429, ExecutionStatus::failed, FailureCategory::rate_limit},
             Row{500, ExecutionStatus::failed, FailureCategory::provider_error},
             Row{503, ExecutionStatus::failed, FailureCategory::provider_error},
         }) {
        const auto end = answered({.status = status, .body = "why"});
        EXPECT_EQ(end.status, ends) << status;
        EXPECT_EQ(end.category, category) << status;
        EXPECT_EQ(end.error, "the call was answered with " + std::to_string(status));
        EXPECT_EQ(end.result.at("body"), Json("why")) << "a person wants to read it";
    }
}

TEST_F(HttpTaskTest, AReceiverMaySayHowLongItWantsToBeLeftAlone) {
    EXPECT_EQ(answered({.status = 429, .headers = {{"retry-after", "120"}}}).retry_after, Seconds{120});
    EXPECT_EQ(answered({.status = 503, .headers = {{"retry-after", "Mon, 01 Jun 2026 10:01:05 GMT"}}}).retry_after,
              Seconds{60});
    EXPECT_EQ(answered({.status = 429}).retry_after, std::nullopt);
}

TEST_F(HttpTaskTest, WithoutAnAnswerTheReasonDecides) {
    auto end = refused(no_answer_within(Seconds{5}));
    EXPECT_EQ(std::tie(end.status, end.error), std::tuple(ExecutionStatus::timed_out, "no answer within 5000 ms"));
    EXPECT_EQ(end.category, FailureCategory::timeout);
    end = refused({ErrorCode::unavailable, "the host does not accept connections"});
    EXPECT_EQ(std::tie(end.status, end.error),
              std::tuple(ExecutionStatus::failed, "the host does not accept connections"));
    EXPECT_EQ(end.category, FailureCategory::provider_error);
    EXPECT_EQ(refused({ErrorCode::forbidden, "the address is not public"}).category,
              FailureCategory::contract_violated);
    EXPECT_EQ(end.result, Json(nullptr));
}

// --- On the network
// --------------------------------------------------------------------------------------------------------

class HttpTaskOnTheNetwork : public testing::Test {
protected:
    std::optional<decide::AttemptEnd> run(const model::Task& wanted, const std::stop_token& stop = {}) {
        return HttpTask(http, &sealer).run(wanted, kNow, stop);
    }
    CurlHttpClient http{{.permitted = parse_networks("127.0.0.0/8").value()}};
    Sealer sealer{keys({kNew})};
};

TEST_F(HttpTaskOnTheNetwork, ASignatureArrivesThatItsReceiverCanCheck) {
    test::HttpReceiver receiver([](const test::Received&) {
        return test::http_answer(200, R"({"ok":true})", "Content-Type: application/json\r\n");
    });
    const auto wanted = task(
        Json{{"method", "POST"}, {"url", receiver.url("/hook")}, {"body", "gr\xc3\xbc\xc3\x9f"}, {"signed", true}});
    const auto end = run(wanted).value();
    EXPECT_EQ(end.status, ExecutionStatus::succeeded) << end.error;
    EXPECT_EQ(to_text(end.result.at("body")), R"({"ok":true})");
    const auto received = receiver.received().at(0);
    EXPECT_EQ(received.count("idempotency-key"), 1U);
    EXPECT_EQ(received.header("content-type"), "text/plain; charset=utf-8");
    const std::vector secret{webhook_key(task_signing_secret(sealer, "default").value()).value()};
    EXPECT_EQ(
        received.header("webhook-signature"),
        sign({received.header("webhook-id"), std::stoll(received.header("webhook-timestamp")), received.body}, secret));
}

TEST_F(HttpTaskOnTheNetwork, AHugeAnswerIsCutAndSaysSo) {
    test::HttpReceiver receiver(
        [](const test::Received&) { return test::http_answer(200, std::string(1'000'000, 'x')); });
    const auto end = run(get(receiver.url())).value();
    EXPECT_EQ(end.status, ExecutionStatus::succeeded) << end.error;
    EXPECT_EQ(end.result.at("cut"), Json(true));
    EXPECT_EQ(end.result.at("body").as_string().size(), kHttpAnswerMax);
}

TEST_F(HttpTaskOnTheNetwork, ARedirectIsNotFollowed) {
    test::HttpReceiver inside([](const test::Received&) { return test::http_answer(200, "secret"); });
    const auto location = "Location: " + inside.url() + "\r\n";
    test::HttpReceiver receiver([&](const test::Received&) { return test::http_answer(302, "", location); });
    const auto end = run(get(receiver.url())).value();
    EXPECT_EQ(end.status, ExecutionStatus::failed);
    EXPECT_EQ(end.error, "the call was answered with 302");
    EXPECT_EQ(inside.connections(), 0);
}

TEST_F(HttpTaskOnTheNetwork, AReceiverThatDoesNotAnswerIsATimeout) {
    test::HttpReceiver receiver([](const test::Received&) { return std::nullopt; });
    auto wanted = get(receiver.url());
    wanted.input.as_object()["timeoutMs"] = 50;
    const auto end = run(wanted).value();
    EXPECT_EQ(end.status, ExecutionStatus::timed_out);
    EXPECT_EQ(end.category, FailureCategory::timeout);
}

TEST_F(HttpTaskOnTheNetwork, AConnectionThatEndsIsTheReceiversFault) {
    test::HttpReceiver receiver(
        [](const test::Received&) { return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"; });
    EXPECT_EQ(run(get(receiver.url())).value().category, FailureCategory::provider_error);
}

TEST_F(HttpTaskOnTheNetwork, AnInternalAddressIsNotReachedWhateverItsNameIs) {
    test::HttpReceiver receiver([](const test::Received&) { return test::http_answer(200); });
    CurlHttpClient strict;
    for (const auto& url : {receiver.url(), "http://localhost:" + std::to_string(receiver.port()) + "/",
                            std::string("http://169.254.169.254/latest/meta-data/")}) {
        const auto end = HttpTask(strict, &sealer).run(get(url), kNow).value();
        // A name may have another address tomorrow, and it must look like one that is not known.
        const auto by_name = url.find("localhost") != std::string::npos;
        EXPECT_EQ(end.category, by_name ? FailureCategory::provider_error : FailureCategory::contract_violated) << url;
        EXPECT_NE(end.error.find("not public"), std::string::npos) << end.error;
    }
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(HttpTaskOnTheNetwork, ACallThatIsStoppedHasNoEnd) {
    test::HttpReceiver receiver([](const test::Received&) { return std::nullopt; });
    std::stop_source stop;
    std::optional<decide::AttemptEnd> end{decide::AttemptEnd{}};
    std::jthread caller([&] { end = run(get(receiver.url()), stop.get_token()); });
    ASSERT_TRUE(test::within_a_minute([&] { return !receiver.received().empty(); }));
    stop.request_stop();
    caller.join();
    EXPECT_EQ(end, std::nullopt);
}

}  // namespace
}  // namespace belfry::engine
