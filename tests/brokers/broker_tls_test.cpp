// Brokers over TLS: whom we trust, and whom not.
#include "brokers/broker_world.hpp"

namespace belfry::test {
namespace {

class BrokerTls : public testing::TestWithParam<BrokerKind> {
protected:
    [[nodiscard]] Receipts publish(const std::string& url, const boost::json::object& options) {
        auto parsed = brokers::parse_connection(url, with(long_timeouts(), options));
        EXPECT_TRUE(parsed) << parsed.error().message;
        return (*brokers::make_broker(std::move(*parsed)))->publish(batch("secure", 10), {});
    }

    PrivateBroker server{GetParam(), Tls::on};
};

INSTANTIATE_TEST_SUITE_P(On, BrokerTls, testing::Values(BrokerKind::rabbitmq, BrokerKind::nats),
                         [](const auto& kind) { return std::string(brokers::name_of(kind.param)); });

TEST_P(BrokerTls, TrustsWhomTheAuthorityNamesAndNobodyElse) {
    const boost::json::object trusting{{"authorities", server.authority()}};
    const auto trusted = publish(server.url(), trusting);
    EXPECT_EQ(outcomes(trusted), Words{"ok"}) << errors_in(trusted);

    const auto unknown = publish(server.url(), {});
    EXPECT_EQ(outcomes(unknown), Words{"unavailable"}) << "the system's authorities do not know the test's";

    auto elsewhere = server.url();
    elsewhere.replace(elsewhere.find("localhost"), 9, "127.0.0.1");
    const auto misnamed = publish(elsewhere, trusting);
    EXPECT_EQ(outcomes(misnamed), Words{"unavailable"}) << "the certificate is for another name";

    const auto missing = publish(server.url(), {{"authorities", "/nowhere/ca.pem"}});
    EXPECT_EQ(outcomes(missing), Words{"unavailable"});
    for (const auto* receipts : {&unknown, &misnamed, &missing})
        RecordProperty("error", receipts->front().error().message);
}

}  // namespace
}  // namespace belfry::test
