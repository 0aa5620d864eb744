// Webhooks and their deliverer on a store in memory, with a clock and a receiver that the test plays.
#pragma once

#include <semaphore>

#include "engine/jobs/deliverer.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "engine/usecases/webhooks.hpp"
#include "support/fakes/fake_http.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::test {

class WebhookWorld {
public:
    WebhookWorld() {
        engine.create([](auto& schedule) { schedule.name = "before"; });
    }

    // REQUIRES: it is accepted.
    engine::Webhooks::WithSecret hook(const std::string& url = "https://example.com/hook",
                                      std::vector<std::string> events = {}) {
        return webhooks.create("default", {.url = url, .events = std::move(events)}, {.principal = "key:ci"}).value();
    }
    // Sends a `ping` and waits for what comes of it.
    Result<decide::DeliveryAttempt> ping(const std::string& id, const std::string& tenant = "default") {
        const auto test = webhooks.test(tenant, id);
        if (!test) return test.error();
        std::binary_semaphore ended(0);
        (*test)->listen([&ended] { ended.release(); });
        ended.acquire();
        return (*test)->result().value();
    }
    // Something happens: one item in the feed, `schedule.created`.
    void happen(const std::string& name = "report") {
        engine.create([&](auto& schedule) { schedule.name = name; });
    }
    // Steps until the deliverer wants to wait.
    void settle() { settle(deliverer); }
    static void settle(engine::Deliverer& each) {
        for (int i = 0; i < 10'000; ++i) {
            if (each.step() > Micros{0}) return;
        }
        ADD_FAILURE() << "the deliverer never wants to wait";
    }
    [[nodiscard]] std::vector<model::Delivery> log(const std::string& webhook_id) {
        return webhooks.deliveries("default", webhook_id, 0, 1'000).value().items;
    }

    EngineWorld engine{"2026-06-01T10:00:00Z"};
    FakeHttp http;
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
    engine::Webhooks webhooks{{*engine.store, http, sealer, engine.ids}};
    bool leading = true;
    engine::Deliverer deliverer{
        *engine.store, engine.journal, [this] { return leading; }, {http, sealer}, {}, [] { return std::uint64_t{0}; }};
};

}  // namespace belfry::test
