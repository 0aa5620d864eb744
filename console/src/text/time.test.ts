import { describe, expect, test } from "vitest";
import {
  abbreviation,
  clock,
  dateTime,
  duration,
  fullDateTime,
  instantOf,
  lag,
  localInput,
  relative,
  shortTime,
  withTimes,
} from "./time.js";

const now = new Date("2026-11-16T09:46:00Z");
const at = (text: string): Date => new Date(text);

describe("durations", () => {
  test.each([
    [0, "0 ms"],
    [31, "31 ms"],
    [1000, "1 s"],
    [3100, "3.1 s"],
    [41_000, "41 s"],
    [760_000, "12 min 40 s"],
    [600_000, "10 min"],
    [554_000, "9 min 14 s"],
    [14_700_000, "4 h 05 min"],
    [7_200_000, "2 h"],
    [226_800_000, "2 d 15 h"],
    [172_800_000, "2 d"],
  ])("%d ms is %s", (ms, text) => expect(duration(ms)).toBe(text));
});

describe("relative times", () => {
  test.each([
    ["2026-11-16T12:00:00Z", "in 2 h 14 min"],
    ["2026-11-16T09:50:00Z", "in 4 min"],
    ["2026-11-16T09:46:38Z", "in 38 s"],
    ["2026-11-16T09:46:00Z", "now"],
    ["2026-11-16T09:37:00Z", "9 min ago"],
    ["2026-11-16T01:15:00Z", "8 h 31 min ago"],
    ["2026-11-19T01:34:00Z", "in 2 d 16 h"],
    ["2026-11-16T11:51:00Z", "in 2 h 5 min"],
    ["2026-11-16T09:45:59Z", "1 s ago"],
  ])("%s is %s", (when, text) => expect(relative(at(when), now)).toBe(text));
});

describe("times in a zone", () => {
  test("have the zone's letters", () => {
    expect(abbreviation(now, "Europe/Berlin")).toBe("CET");
    expect(abbreviation(at("2026-07-01T00:00:00Z"), "Europe/Berlin")).toBe("CEST");
    expect(abbreviation(now, "America/New_York")).toBe("EST");
    expect(abbreviation(now, "Europe/London")).toBe("GMT");
    expect(abbreviation(now, "UTC")).toBe("UTC");
  });
  test("have an offset where there are no letters", () =>
    expect(abbreviation(now, "Asia/Kathmandu")).toMatch(/^(GMT\+5:45|NPT)$/));
  test("omit the present year only", () => {
    expect(dateTime(at("2026-11-17T01:34:00Z"), "Europe/Berlin", now)).toBe("Tue 17 Nov, 02:34 CET");
    expect(dateTime(at("2027-03-28T01:04:00Z"), "Europe/Berlin", now)).toBe("Sun 28 Mar 2027, 03:04 CEST");
  });
  test("show seconds that are not zero", () =>
    expect(dateTime(at("2026-11-17T01:34:05Z"), "UTC", now)).toBe("Tue 17 Nov, 01:34:05 UTC"));
  test("name the zone once", () => {
    expect(fullDateTime(now, "Europe/Berlin", now)).toBe("Mon 16 Nov, 10:46 CET (Europe/Berlin)");
    expect(fullDateTime(now, "UTC", now)).toBe("Mon 16 Nov, 09:46 UTC");
  });
  test("are shown in UTC if the browser does not know the zone", () =>
    expect(dateTime(now, "Mars/Olympus", now)).toBe("Mon 16 Nov, 09:46 UTC"));
  test("show midnight as 00", () => expect(clock(at("2026-11-15T23:00:00Z"), "Europe/Berlin")).toBe("00:00"));
  test("in a second zone show the day only if it differs", () => {
    expect(shortTime(at("2026-11-17T13:34:00Z"), "America/New_York", { zone: "Europe/Berlin" }, now)).toBe("08:34 EST");
    expect(shortTime(at("2026-11-17T01:34:00Z"), "America/New_York", { zone: "Europe/Berlin" }, now)).toBe(
      "16 Nov, 20:34 EST",
    );
  });
  test("replace those in a sentence of the server", () => {
    const text =
      "It fired at 2026-11-16T01:34:00.000000Z, 2026-11-16T01:34:00 UTC and 2026-11-16T02:34:00 Europe/Berlin.";
    const here = String.raw`Mon 16 Nov( 2026)?, 02:34 CET`;
    expect(withTimes(text, "Europe/Berlin")).toMatch(new RegExp(`^It fired at ${here}, ${here} and ${here}\\.$`));
  });
});

describe("clock times of a field", () => {
  test("become instants, also across clock changes", () => {
    expect(instantOf("2026-11-20T06:00", "Europe/Berlin")?.toISOString()).toBe("2026-11-20T05:00:00.000Z");
    expect(instantOf("2026-10-25T02:30:00", "Europe/Berlin")?.toISOString()).toBe("2026-10-25T00:30:00.000Z");
    expect(instantOf("2026-03-29T12:00:00", "Europe/Berlin")?.toISOString()).toBe("2026-03-29T10:00:00.000Z");
    expect(instantOf("2026-10-25T12:00:00", "Europe/Berlin")?.toISOString()).toBe("2026-10-25T11:00:00.000Z");
    expect(instantOf("nonsense", "UTC")).toBeUndefined();
  });
  test("come from instants", () =>
    expect(localInput(at("2026-11-13T01:34:00Z"), "Europe/Berlin")).toBe("2026-11-13T02:34:00"));
});

describe("lags", () => {
  test.each([
    ["2026-11-16T01:34:00.200Z", "+0.2 s"],
    ["2026-11-16T01:34:14.800Z", "+15 s"],
    ["2026-11-16T01:34:01.100Z", "+1.1 s"],
    ["2026-11-16T01:34:00.004Z", "+0 s"],
  ])("%s is %s", (to, text) => expect(lag("2026-11-16T01:34:00.000Z", to)).toBe(text));
  test("without a second time are a dash", () => expect(lag("2026-11-16T01:34:00Z", null)).toBe("–"));
});
