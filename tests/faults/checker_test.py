"""The checker is shown worlds with one planted fault each: a checker that cannot fail is worthless."""

import dataclasses
import sys
import unittest

import checker
from journal import Delivery, Report
from known import Known, Timing
from ledger import Account, Row

START = 1_800_000_000


def delivery(second, attempt=1, received_at=None, **changes):
    occurrence = START + second
    at = occurrence + 0.1 if received_at is None else received_at
    whole = Delivery("s1", occurrence, f"run-{second}", attempt, checker.expected_key("s1", occurrence), "tick", at, at,
                     occurrence + 3)
    return dataclasses.replace(whole, **changes)


def row(second, **changes):
    whole = Row(f"run-{second}", START + second, "tick", "dispatched", "succeeded", "", START + second, 1,
                START + second + 0.01)
    return dataclasses.replace(whole, **changes)


def skip(first, last=None, reason="missed_run"):
    return row(first, run_id=f"skip-{first}", dispatch="skipped", status="skipped", reason=reason,
               last=START + (first if last is None else last))


def report(second, attempt=1, said="succeeded", answer="ok"):
    return Report(f"run-{second}", attempt, said, answer, START + second + 0.2)


class World:
    """A schedule of every second, ten of them, all delivered and all well. Tests spoil it."""

    def __init__(self):
        self.schedule = Known("every-second", Timing(every=1, start=START, end=START + 9), id="s1")
        self.deliveries = [delivery(second) for second in range(10)]
        self.reports = [report(second) for second in range(10)]
        self.account = Account([row(second) for second in range(10)], list(range(1, 11)), "completed")

    def drop(self, second):
        """As if the target never saw it."""
        self.deliveries = [each for each in self.deliveries if each.run_id != f"run-{second}"]
        self.reports = [each for each in self.reports if each.run_id != f"run-{second}"]

    def forget(self, second):
        """As if the servers never decided it."""
        self.drop(second)
        self.account.rows = [each for each in self.account.rows if each.run_id != f"run-{second}"]

    def kinds(self):
        return [each.kind
                for each in checker.check([self.schedule], self.deliveries, self.reports, {"s1": self.account})]


class Checking(unittest.TestCase):
    def setUp(self):
        self.world = World()

    def assert_finds(self, *kinds):
        self.assertEqual(self.world.kinds(), list(kinds))

    def test_a_world_without_faults_passes(self):
        self.assert_finds()

    def test_a_gap_is_found(self):
        self.world.forget(4)
        self.assert_finds("missing")

    def test_the_first_and_the_last_of_the_window_are_missed_too(self):
        self.world.forget(0)
        self.world.forget(9)
        self.assert_finds("missing", "missing")

    def test_a_run_that_was_dispatched_and_never_arrived_is_missing(self):
        self.world.drop(4)
        self.assert_finds("missing")

    def test_a_gap_with_a_recorded_skip_passes_when_the_schedule_may_skip(self):
        self.world.forget(4)
        self.world.account.rows.append(skip(4))
        self.assert_finds("unexcused")
        self.world.schedule.excuses = frozenset({"missed_run"})
        self.assert_finds()

    def test_a_skip_without_a_reason_explains_nothing(self):
        self.world.schedule.excuses = frozenset({"missed_run"})
        self.world.forget(4)
        self.world.account.rows.append(skip(4, reason=""))
        self.assert_finds("unexcused")

    def test_a_range_explains_what_it_covers_and_nothing_else(self):
        self.world.schedule.excuses = frozenset({"missed_run"})
        for second in (3, 4, 5, 6):
            self.world.forget(second)
        self.world.account.rows.append(skip(3, 5))
        self.assert_finds("missing")

    def test_two_records_for_one_occurrence_are_found(self):
        self.world.schedule.excuses = frozenset({"missed_run"})
        for second in (3, 4, 5):
            self.world.forget(second)
        self.world.account.rows += [skip(3, 5), skip(4)]
        self.assert_finds("duplicate")

    def test_a_range_that_covers_what_was_delivered_is_a_contradiction(self):
        self.world.schedule.excuses = frozenset({"missed_run"})
        self.world.forget(3)
        self.world.account.rows.append(skip(3, 4))
        self.assert_finds("contradiction")

    def test_an_occurrence_that_the_spec_does_not_yield_is_an_extra(self):
        self.world.deliveries.append(delivery(10))
        self.world.account.rows.append(row(10))
        self.assert_finds("extra")

    def test_an_occurrence_between_two_is_an_extra(self):
        key = checker.expected_key("s1", START + 5.5)
        self.world.deliveries.append(delivery(5, occurrence=START + 5.5, run_id="half", key=key, received_at=START + 6))
        self.world.account.rows.append(row(5, run_id="half", occurrence=START + 5.5))
        self.assert_finds("extra")

    def test_a_schedule_that_nobody_made_is_an_extra(self):
        self.world.deliveries.append(delivery(5, schedule_id="s2", run_id="foreign",
                                              key=checker.expected_key("s2", START + 5)))
        self.assert_finds("extra")

    def test_what_comes_before_its_time_is_found(self):
        self.world.deliveries[5] = delivery(5, received_at=START + 4.9)
        self.assert_finds("early")

    def test_an_occurrence_under_two_runs_is_a_duplicate(self):
        self.world.deliveries.append(delivery(5, run_id="other"))
        self.world.account.rows.append(row(5, run_id="other", cause="backfill"))
        self.assert_finds("duplicate")

    def test_an_occurrence_under_two_keys_is_a_duplicate(self):
        self.world.deliveries.append(delivery(5, attempt=2, key="0" * 64, received_at=START + 60))
        self.world.reports.remove(report(5))
        self.assert_finds("duplicate")

    def test_two_rows_of_one_slot_are_a_duplicate(self):
        self.world.account.rows.append(row(5, run_id="other"))
        self.assert_finds("duplicate")

    def test_a_higher_attempt_after_the_lease_passes(self):
        self.world.deliveries.append(delivery(5, attempt=2, received_at=START + 8.1))
        self.world.reports[5] = report(5, attempt=2)
        self.assert_finds()

    def test_a_higher_attempt_after_a_reported_failure_passes(self):
        self.world.deliveries.append(delivery(5, attempt=2, received_at=START + 5.5))
        self.world.reports[5] = report(5, attempt=2)
        self.world.reports.append(report(5, said="failed", answer="unknown"))
        self.assert_finds()

    def test_a_clock_that_was_put_back_does_not_prolong_a_lease(self):
        self.world.deliveries.append(delivery(5, attempt=2, received_at=START + 5.2, arrived=START + 8.1))
        self.world.reports[5] = report(5, attempt=2)
        self.assert_finds()

    def test_a_higher_attempt_while_the_lease_is_held_is_found(self):
        self.world.deliveries.append(delivery(5, attempt=2, received_at=START + 7.9))
        self.world.reports[5] = report(5, attempt=2)
        self.assert_finds("repeat")

    def test_the_same_attempt_twice_is_found(self):
        self.world.deliveries.append(delivery(5, received_at=START + 60))
        self.assert_finds("repeat")

    def test_an_attempt_after_an_acknowledged_success_is_found(self):
        self.world.deliveries.append(delivery(5, attempt=2, received_at=START + 60))
        self.assert_finds("repeat")

    def test_an_attempt_after_a_success_whose_answer_was_lost_passes(self):
        self.world.reports[5] = report(5, answer="unknown")
        self.world.deliveries.append(delivery(5, attempt=2, received_at=START + 60))
        self.assert_finds()

    def test_a_success_that_was_acknowledged_and_is_not_in_the_ledger_is_lost(self):
        self.world.account.rows[5] = row(5, status="timed_out")
        self.assert_finds("lost")

    def test_a_run_that_never_ends_is_found(self):
        self.world.reports.remove(report(5))
        self.world.account.rows[5] = row(5, status="running")
        self.assert_finds("unfinished")

    def test_a_delivery_that_the_ledger_does_not_know_is_lost(self):
        del self.world.account.rows[5]
        self.assert_finds("lost")

    def test_a_delivery_that_the_ledger_says_was_skipped_is_a_contradiction(self):
        self.world.account.rows[5] = row(5, dispatch="skipped", status="skipped", reason="missed_run")
        self.assert_finds("contradiction", "contradiction")

    def test_nothing_of_a_pause_may_fire(self):
        self.world.schedule.silent = [(START + 4.5, START + 6)]
        self.assert_finds("extra", "extra")
        self.world.forget(5)
        self.world.forget(6)
        self.assert_finds()

    def test_while_a_pause_is_being_asked_for_both_are_right(self):
        self.world.schedule.free = [(START + 4.5, START + 6)]
        self.world.forget(5)
        self.assert_finds()

    def test_a_gap_in_the_audit_stream_is_found(self):
        for sequences in ([1, 2, 4], [2, 3, 4], [1, 2, 2, 3], []):
            self.world.account.sequences = sequences
            self.assert_finds("audit")

    def test_a_schedule_that_was_acknowledged_and_is_gone_is_lost(self):
        findings = checker.check([self.world.schedule], self.world.deliveries, self.world.reports, {"s1": None})
        self.assertEqual([each.kind for each in findings], ["lost"])

    def test_a_trigger_is_delivered_once_and_only_when_asked_for(self):
        by_hand = delivery(5, occurrence=START + 5.123, run_id="by-hand", cause="trigger", key="k",
                           received_at=START + 6)
        self.world.deliveries.append(by_hand)
        self.world.account.rows.append(row(5, run_id="by-hand", occurrence=START + 5.123, last=START + 5.123,
                                           cause="trigger"))
        self.assert_finds("extra")
        self.world.schedule.triggers = {"by-hand"}
        self.assert_finds()
        self.world.deliveries.remove(by_hand)
        self.assert_finds("missing")


    def test_a_trigger_inside_a_skipped_range_is_no_contradiction(self):
        self.world.schedule.excuses = frozenset({"missed_run"})
        self.world.schedule.triggers = {"by-hand"}
        for second in (4, 5, 6):
            self.world.forget(second)
        self.world.account.rows.append(skip(4, 6))
        self.world.deliveries.append(delivery(5, occurrence=START + 5.123, run_id="by-hand", cause="trigger", key="k",
                                              received_at=START + 6))
        self.world.account.rows.append(row(5, run_id="by-hand", occurrence=START + 5.123, last=START + 5.123,
                                           cause="trigger"))
        self.assert_finds()


class Occurrences(unittest.TestCase):
    def test_an_interval_is_anchored_at_the_epoch_and_its_window_is_inclusive(self):
        self.assertEqual(Timing(every=2, start=11, end=16).occurrences(), {12, 14, 16})
        self.assertEqual(Timing(every=1, start=11, end=13).occurrences(), {11, 12, 13})

    def test_instants_are_those_named(self):
        self.assertEqual(Timing(instants=(3, 9)).occurrences(), {3, 9})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
