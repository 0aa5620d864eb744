// A caller without the permission `approve` cannot loosen approvals: which requests are rejected, and how they are
// recorded.
#include "decide/approval/approval_order.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::engine {

namespace {

constexpr const char* kLoosened = "loosened_without_role";

Error may_not_loosen(const std::string& field, const std::string& recorded_in) {
    return {ErrorCode::forbidden,
            "would require fewer approvals than before or by default: that takes the permission approve (role approver "
            "or admin); the attempt is kept "
            "in the history of schedule " +
                recorded_in,
            field};
}

}  // namespace

// An older version may lack approvals that the newest one requires.
Result<bool> Schedules::pins_looser(const model::Schedule& after, const model::Schedule* before) {
    const auto& target = after.target;
    if (target.type != model::TargetType::workflow || !target.version) return false;
    if (before != nullptr && before->target.name() == target.name() && before->target.version == target.version)
        return false;
    const auto newest = store_.workflow(after.tenant, target.kind, {});
    const auto pinned = store_.workflow(after.tenant, target.kind, target.version);
    for (const auto* const found : {&newest, &pinned}) {
        if (!*found && found->error().code != ErrorCode::not_found) return found->error();
    }
    return newest && pinned && decide::loosens(**pinned, **newest);
}

Result<Schedules::LooseningCheck> Schedules::loosening_check(const model::Schedule& after,
                                                             const model::Schedule* before, const Context& context) {
    if (context.may_loosen) return LooseningCheck{};
    auto assignment = find_assignment(after);
    if (!assignment) return assignment.error();
    const auto pins = pins_looser(after, before);
    if (!pins) return pins.error();
    return LooseningCheck{.applies = true, .pins_looser = *pins, .assignment = std::move(*assignment)};
}

std::string Schedules::LooseningCheck::loosened(const decide::CompiledSchedule& after,
                                                const decide::CompiledSchedule* before) const {
    if (!applies) return {};
    if (decide::loosens(after, before, assignment ? &*assignment : nullptr)) return "/approvalPolicy";
    return pins_looser ? "/target/version" : "";
}

Result<void> Schedules::check_loosening(const model::Schedule& definition, const Record* stored,
                                        const Context& context) {
    // A new schedule can only be looser for an assignee, or with an older version.
    if (context.may_loosen || (stored == nullptr && !definition.assignee && !definition.target.version)) return {};
    const auto check = loosening_check(definition, stored != nullptr ? &stored->definition : nullptr, context);
    if (!check) return check.error();
    // Only the policies are compared, so the rest need not compile.
    const auto after = decide::stand_in(definition, {}, check->assignment ? &*check->assignment : nullptr);
    decide::CompiledPtr before;
    if (stored != nullptr) {
        const auto assignment = find_assignment(stored->definition);
        before = decide::stand_in(stored->definition, {}, assignment && *assignment ? &**assignment : nullptr);
    }
    const auto field = check->loosened(*after, before.get());
    if (field.empty()) return {};
    if (stored == nullptr) {
        const auto refused = refuse(definition, {.how = kLoosened}, context);
        return refused ? may_not_loosen(field, refused->definition.id) : refused.error();
    }
    const auto recorded = changed({stored->definition.tenant, stored->definition.id}, FactsRequest::nothing,
                                  [&](const decide::Facts& facts, Instant now) {
                                      return decide::plan_bypass_record(facts, {.how = kLoosened}, now, context);
                                  });
    if (!recorded && recorded.error().code != ErrorCode::already_exists) return recorded.error();
    return may_not_loosen(field, stored->definition.id);
}

Result<Schedules::Record> Schedules::update_checked(const Ref& ref, std::int64_t base, const decide::CompiledPtr& after,
                                                    const LooseningCheck& check, const Context& context) {
    std::string loosened;
    auto updated =
        changed(ref, FactsRequest::nothing, [&](const decide::Facts& facts, Instant now) -> Result<decide::Plan> {
            const auto stored = facts.schedule->definition.version;
            if (stored != base) return has_changed(stored, base);
            auto plan = decide::plan_update(facts, after, now, context);
            loosened = plan && plan->definition ? check.loosened(*after, facts.schedule.get()) : std::string();
            if (loosened.empty()) return plan;
            return decide::plan_bypass_record(facts, {.how = kLoosened}, now, context);
        });
    const bool recorded = updated || updated.error().code == ErrorCode::already_exists;
    if (!loosened.empty() && recorded) return may_not_loosen(loosened, ref.id);
    return updated;
}

Error Schedules::refuse_loosening(const std::string& tenant, const std::string& workflow, const std::string& subject,
                                  const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    model::Schedule stand_in;
    stand_in.tenant = tenant;
    stand_in.name = "refused: " + subject;
    stand_in.spec.at = {format_instant(std::chrono::floor<Seconds>(*now))};
    stand_in.target.kind = workflow;
    // The schedule never starts its target, which need not exist.
    const auto compile = [this](const model::Schedule& definition) {
        return decide::compile(definition, zones_, decide::find_built_in_calendar);
    };
    const auto refused = refuse_as(std::move(stand_in), tenant + "/" + subject, {.how = kLoosened, .subject = subject},
                                   context, compile);
    return refused ? may_not_loosen("/approvalPolicy", refused->definition.id) : refused.error();
}

}  // namespace belfry::engine
