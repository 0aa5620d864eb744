// Calendars as a year view: the dates on which schedules skip, or the only ones on which they fire.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Calendar } from "belfry";
import type { ReactNode } from "react";
import { calendar as calendarQuery, calendars } from "../api/queries.js";
import { Icon, number } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";

const route = getRouteApi("/calendars");
const KIND = { skip_dates: "schedules skip these dates", only_dates: "schedules fire only on these dates" } as const;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function Month({
  year,
  month,
  dates,
  only,
}: {
  year: number;
  month: number;
  dates: ReadonlySet<string>;
  only: boolean;
}): ReactNode {
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  // Weeks begin on Monday.
  const before = (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7;
  return (
    <div className="month">
      <b>{MONTHS[month]}</b>
      {Array.from({ length: before }, (_, at) => (
        <span key={`b${at}`} />
      ))}
      {Array.from({ length: days }, (_, at) => {
        const date = `${year}-${String(month + 1).padStart(2, "0")}-${String(at + 1).padStart(2, "0")}`;
        return (
          <i key={date} className={dates.has(date) ? `day-on${only ? " only" : ""}` : ""}>
            {at + 1}
          </i>
        );
      })}
    </div>
  );
}

function YearView({ one }: { one: Calendar }): ReactNode {
  const search = route.useSearch();
  const years = [...new Set(one.dates.map((date) => Number(date.slice(0, 4))))].sort();
  const present = new Date().getFullYear();
  const year = Number(search.year) || (years.includes(present) ? present : years[0]) || present;
  const inYear = one.dates.filter((date) => date.startsWith(`${year}-`));
  const step = (by: number, label: string): ReactNode => (
    <Link
      className="btn btn-sm btn-icon"
      aria-label={label}
      to="/calendars"
      search={{ name: one.name, year: String(year + by) }}
    >
      <span style={by < 0 ? { transform: "scaleX(-1)", display: "grid" } : undefined}>
        <Icon name="right" />
      </span>
    </Link>
  );
  return (
    <section className="card" aria-labelledby="cal-h">
      <div className="card-h">
        <h2 id="cal-h">{one.name}</h2>
        <span className="note">
          {KIND[one.kind]} · {one.timezone}
          {one.builtIn ? " · built in" : ""}
        </span>
        <span className="push row">
          {step(-1, "Year before")}
          <b className="strong">{year}</b>
          {step(1, "Year after")}
        </span>
      </div>
      {one.warning && (
        <p className="card-b mark skipped" style={{ paddingBottom: 0 }}>
          <Icon name="warn" className="i glyph" />
          {one.warning}
        </p>
      )}
      <div className="card-b">
        <div className="year" role="img" aria-label={`${year}: ${inYear.length} dates`}>
          {MONTHS.map((_, month) => (
            <Month key={month} year={year} month={month} dates={new Set(inYear)} only={one.kind === "only_dates"} />
          ))}
        </div>
      </div>
      <details className="card-f">
        <summary>
          {number(inYear.length)} dates of {year} as text
        </summary>
        <p className="small soft">{inYear.join(", ") || "none"}</p>
      </details>
    </section>
  );
}

export function CalendarsPage(): ReactNode {
  const { name } = route.useSearch();
  const list = useQuery(calendars());
  const shown = name ?? list.data?.items[0]?.name;
  const one = useQuery({ ...calendarQuery(shown ?? ""), enabled: shown !== undefined });
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Calendars</h1>
          <p className="muted">Dates that keep schedules from running, or allow them to</p>
        </div>
      </div>
      <section className="card" aria-label="Calendars">
        <Loaded query={list} what="Calendars">
          {(page) =>
            page.items.length === 0 ? (
              <Empty title="No calendars yet">
                A calendar has dates on which schedules skip. Create one with the API: POST …/calendars.
              </Empty>
            ) : (
              <div className="scroll">
                <table className="table reflow">
                  <caption className="sr">Calendars</caption>
                  <thead>
                    <tr>
                      <th scope="col">Name</th>
                      <th scope="col">Effect</th>
                      <th scope="col">Zone</th>
                      <th scope="col" className="num">
                        Dates
                      </th>
                      <th scope="col">Last date</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((item) => (
                      <tr key={item.name} data-row className={item.name === shown ? "is-selected" : ""}>
                        <td>
                          <Link className="name" to="/calendars" search={{ name: item.name }} resetScroll={false}>
                            {item.name}
                          </Link>
                        </td>
                        <td data-l="Effect" className="soft">
                          {KIND[item.kind]}
                        </td>
                        <td data-l="Zone">{item.timezone}</td>
                        <td data-l="Dates" className="num">
                          {number(item.dateCount)}
                        </td>
                        <td data-l="Last date">
                          {item.expiresOn ?? "–"}
                          {item.warning && (
                            <span className="mark skipped" style={{ marginLeft: 8 }}>
                              <Icon name="warn" className="i glyph" />
                              ends soon
                            </span>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </section>
      {shown && (
        <Loaded query={one} what="The calendar">
          {(data) => <YearView one={data} />}
        </Loaded>
      )}
    </>
  );
}
