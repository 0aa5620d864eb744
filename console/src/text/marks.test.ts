import { describe, expect, test } from "vitest";
import { dstText, skipText } from "./marks.js";
import { outcomeOf, summary } from "./outcome.js";

describe("marks of a clock change", () => {
  test.each([
    ["shifted", "2027-03-28T02:30:00", "2027-03-28T03:00:00", "02:30 does not exist on 28 Mar → runs 03:00"],
    [
      "first_pass",
      "2026-10-25T01:30:00",
      "2026-10-25T01:30:00",
      "01:30 happens twice on 25 Oct → runs once, the first time",
    ],
    [
      "last_pass",
      "2026-10-25T01:30:00",
      "2026-10-25T01:30:00",
      "01:30 happens twice on 25 Oct → runs once, the last time",
    ],
    [
      "both_second",
      "2026-10-25T01:30:00",
      "2026-10-25T01:30:00",
      "01:30 happens twice on 25 Oct → runs both times, this is the second",
    ],
  ] as const)("%s", (kind, nominal, local, text) => expect(dstText({ kind, nominal }, local)).toBe(text));
});

describe("marks of a guard", () => {
  test("a calendar is named with the date", () =>
    expect(skipText({ reason: "calendar", detail: "us-federal-holidays-2026", local: "2026-12-25T02:30:00" })).toBe(
      "skipped – 25 Dec (us-federal-holidays-2026)",
    ));
  test("another reason stays as the API spells it", () =>
    expect(skipText({ reason: "budget_exceeded", detail: null, local: "2026-12-25T02:30:00" })).toBe(
      "will skip: budget_exceeded",
    ));
});

describe("outcomes", () => {
  test("a skip because of downtime is missed", () => expect(outcomeOf("skipped", "missed_run").look).toBe("missed"));
  test("a skip while paused is paused", () =>
    expect(outcomeOf("skipped", "status_not_triggerable").look).toBe("paused"));
  test("a timeout looks like a failure and has its own word", () =>
    expect(outcomeOf("timed_out", null)).toMatchObject({ look: "failed", word: "Timed out" }));
  test("a strip is summed up in words", () =>
    expect(summary([outcomeOf("succeeded", null), outcomeOf("succeeded", null), outcomeOf("failed", null)])).toBe(
      "2 succeeded, 1 failed",
    ));
});
