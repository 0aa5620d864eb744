// Times as people read them. A time is never shown without a zone; the zone of the schedule comes first.

/** The zone of the reader. */
export const readerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** English locales that have letters for a zone where the others only have an offset. */
const LOCALES = ["en-GB", "en-US", "en-AU", "en-CA", "en-IN"];

const formats = new Map<string, Intl.DateTimeFormat>();

function format(locale: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale}|${zone}|${JSON.stringify(options)}`;
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(locale, { ...options, timeZone: knownZone(zone) });
    formats.set(key, found);
  }
  return found;
}

/** The browser's zone data may be older than the server's. Then the time is shown in UTC, and says so. */
function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: zone });
    return zone;
  } catch {
    return "UTC";
  }
}

function partsOf(at: Date, zone: string, options: Intl.DateTimeFormatOptions): Record<string, string> {
  return Object.fromEntries(
    format("en-GB", zone, options)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
}

/** `CET`, `EST`, or `GMT+5:45` if the browser knows no letters for the zone. */
export function abbreviation(at: Date, zone: string): string {
  if (knownZone(zone) !== zone || zone === "UTC" || zone === "Etc/UTC") return "UTC";
  let offset = "";
  for (const locale of LOCALES) {
    const parts = format(locale, zone, { timeZoneName: "short" }).formatToParts(at);
    const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    if (name && !/^GMT[+-]/.test(name) && name !== "UTC") return name;
    offset ||= name;
  }
  return offset || "UTC";
}

/** `02:34`, or `02:34:05` with seconds. */
export function clock(at: Date, zone: string, seconds = false): string {
  const parts = partsOf(at, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  return `${parts.hour}:${parts.minute}${seconds ? `:${parts.second}` : ""}`;
}

/** `Mon 16 Nov`, with the year only when it is not the present one. */
export function day(at: Date, zone: string, now: Date = new Date()): string {
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  const parts = partsOf(at, zone, options);
  const year = parts.year === partsOf(now, zone, options).year ? "" : ` ${parts.year}`;
  return `${parts.weekday} ${parts.day} ${parts.month?.slice(0, 3)}${year}`;
}

/** `Mon 16 Nov, 09:00 CET`. Seconds show when they are not zero. */
export function dateTime(at: Date, zone: string, now: Date = new Date()): string {
  const seconds = at.getUTCSeconds() !== 0;
  return `${day(at, zone, now)}, ${clock(at, zone, seconds)} ${abbreviation(at, zone)}`;
}

/** `Mon 16 Nov, 09:00 CET (Europe/Berlin)`. */
export function fullDateTime(at: Date, zone: string, now: Date = new Date()): string {
  const text = dateTime(at, zone, now);
  return text.endsWith(` ${zone}`) ? text : `${text} (${knownZone(zone)})`;
}

/** `09:00 CET`, with the day only when it differs from the day of `beside` there. */
export function shortTime(at: Date, zone: string, beside: { zone: string }, now: Date = new Date()): string {
  const own = day(at, zone, now);
  const text = `${clock(at, zone, at.getUTCSeconds() !== 0)} ${abbreviation(at, zone)}`;
  return own === day(at, beside.zone, now) ? text : `${own.slice(own.indexOf(" ") + 1)}, ${text}`;
}

/** A duration in its two largest units: `3.1 s`, `12 min 40 s`, `4 h 05 min`, `2 d 15 h`. */
export function duration(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < 1000) return `${Math.round(positive)} ms`;
  if (positive < 9950) return `${trimZero((positive / 1000).toFixed(1))} s`;
  const seconds = Math.round(positive / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return pair(seconds, 60, "min", 1, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair(minutes, 60, "h", 1, "min");
  return pair(Math.round(minutes / 60), 24, "d", 1, "h", false);
}

function pair(value: number, unit: number, name: string, rest: number, restName: string, padded = true): string {
  const left = Math.floor((value % unit) / rest);
  const whole = `${Math.floor(value / unit)} ${name}`;
  if (left === 0) return whole;
  return `${whole} ${padded ? String(left).padStart(2, "0") : left} ${restName}`;
}

const trimZero = (text: string): string => text.replace(/\.0$/, "");

/** `in 2 h 14 min`, `9 min ago`, `now`. Counts in whole seconds. */
export function relative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  const whole = Math.round(Math.abs(ms) / 1000) * 1000;
  if (whole === 0) return "now";
  const text = whole < 60_000 ? `${whole / 1000} s` : coarse(whole);
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

/** From a minute on, seconds say nothing; from a day on, minutes do not. */
function coarse(ms: number): string {
  return duration(ms < 3_600_000 ? Math.round(ms / 60_000) * 60_000 : ms).replace(/ 0(\d) (min|h)/, " $1 $2");
}

/** `+0.2 s` behind an earlier time, or a dash. */
export function lag(from: string | null, to: string | null): string {
  if (!from || !to) return "–";
  const ms = Date.parse(to) - Date.parse(from);
  if (ms < 100) return "+0 s";
  return `+${duration(ms < 1000 ? Math.round(ms / 100) * 100 : ms)
    .replace(/^(\d)00 ms$/, "0.$1 s")
    .replace(/^1000 ms$/, "1 s")}`;
}

const TIMES = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:(\.\d+)?Z| (UTC|[A-Z]\w+\/[\w/+-]+))/g;

/** A sentence of the server, with its times in the zone of the schedule: instants, and local times with their zone. */
export function withTimes(text: string, zone: string): string {
  return text.replace(TIMES, (whole: string, local: string, _fraction: string | undefined, of: string | undefined) => {
    const at = of ? instantOf(local, of) : new Date(`${local}Z`);
    return at ? dateTime(at, zone) : whole;
  });
}

/** A clock time of the schedule's zone, as `<input type="datetime-local">` wants it. */
export function localInput(at: Date, zone: string): string {
  const parts = partsOf(at, zone, {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

/** The instant of a clock time in a zone. A time that happens twice means the first one. */
export function instantOf(local: string, zone: string): Date | undefined {
  const naive = Date.parse(`${local}Z`);
  if (Number.isNaN(naive)) return undefined;
  const offsetAt = (ms: number): number =>
    Date.parse(`${localInput(new Date(ms), zone)}Z`) - Math.floor(ms / 1000) * 1000;
  const before = offsetAt(naive - 86_400_000);
  const early = naive - before;
  if (offsetAt(early) === before) return new Date(early);
  return new Date(naive - offsetAt(naive - offsetAt(naive)));
}
