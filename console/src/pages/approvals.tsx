// The inbox of approvals: soonest to expire first, with what will happen on yes and on no.
import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Approval } from "belfry";
import type { ReactNode } from "react";
import { approvals } from "../api/queries.js";
import type { Outcome } from "../text/outcome.js";
import { dateTime, duration, readerZone } from "../text/time.js";
import { Chip, Icon, Json, Relative, useNow } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";
import { askedFor, Decision, Effects, whyText } from "./decide.js";

const route = getRouteApi("/approvals");
const same = (one: Approval, run: string | undefined, node: string | undefined): boolean =>
  one.runId === run && (one.node ?? undefined) === node;
const SOON_MS = 3 * 3_600_000;

function Left({ at }: { at: string }): ReactNode {
  const ms = Date.parse(at) - useNow().getTime();
  return (
    <span className={ms < SOON_MS ? "left soon" : "left"}>
      {ms > 0 ? `${duration(Math.ceil(ms / 60_000) * 60_000)} left` : "expired"}
    </span>
  );
}

function Detail({ one }: { one: Approval }): ReactNode {
  const zone = readerZone();
  return (
    <div>
      <div className="card-h awaiting">
        <span className="badge-ico" style={{ width: 24, height: 24 }}>
          <Icon name="approve" className="i glyph" />
        </span>
        <h2>
          {one.scheduleName ?? "Run"}
          {one.node ? ` · ${one.node}` : ""}
        </h2>
        <Link
          className="push small"
          to="/run/$run"
          params={{ run: one.runId }}
          search={{ node: one.node ?? undefined }}
        >
          Open run
        </Link>
      </div>
      <div className="card-b stack" style={{ gap: 20, padding: 24 }}>
        <div className="stack" style={{ gap: 8 }}>
          <p className="answer" style={{ fontSize: "var(--text-20)", lineHeight: "var(--lh-20)" }}>
            {askedFor(one)}
          </p>
          <p className="soft">
            asked <Relative at={one.requestedAt} /> · expires <Relative at={one.expiresAt} />,{" "}
            {dateTime(new Date(one.expiresAt), zone)}
          </p>
        </div>
        <Effects one={one} />
        <dl className="facts">
          <dt>Why asked</dt>
          <dd>{whyText(one)}</dd>
          {one.definitionChanged && (
            <>
              <dt>Note</dt>
              <dd>The schedule has changed since. An approval still starts what is shown here.</dd>
            </>
          )}
          {one.attempts > 0 && (
            <>
              <dt>Attempts</dt>
              <dd>{one.attempts} so far</dd>
            </>
          )}
        </dl>
        <div>
          <h3 style={{ marginBottom: 8 }}>Input</h3>
          <Json value={one.input ?? {}} label="Input" />
        </div>
        <Decision key={`${one.runId}${one.node}`} one={one} />
      </div>
    </div>
  );
}

function Inbox({ items }: { items: readonly Approval[] }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const sorted = [...items].sort((one, other) => one.expiresAt.localeCompare(other.expiresAt));
  const selected = sorted.find((one) => same(one, search.run, search.node)) ?? sorted[0];
  if (!selected) return <Empty title="Nothing waits for you">A run that needs an approval appears here at once.</Empty>;
  return (
    <div className="split">
      <div>
        <div className="card-h">
          <h3>Inbox</h3>
          <span className="note">soonest to expire first</span>
        </div>
        <ul className="inbox">
          {sorted.map((one) => (
            <li
              key={`${one.runId}${one.node}`}
              data-row
              aria-current={one === selected ? "true" : undefined}
              className={one === selected ? "is-on" : ""}
              onClick={() => void navigate({ search: { run: one.runId, node: one.node ?? undefined }, replace: true })}
            >
              <div className="top-l">
                <button className="link name ellipsis">{one.scheduleName ?? "Run"}</button>
                <span className="tag">{one.action ?? one.why.replace("_", " ")}</span>
                <Left at={one.expiresAt} />
              </div>
              <p className="soft">{askedFor(one)}</p>
            </li>
          ))}
        </ul>
      </div>
      <Detail one={selected} />
    </div>
  );
}

const DECIDED: Record<string, Outcome> = {
  approved: { look: "succeeded", word: "Approved", glyph: "check" },
  rejected: { look: "failed", word: "Rejected", glyph: "x" },
  expired: { look: "missed", word: "Expired", glyph: "missed" },
  void: { look: "paused", word: "Void", glyph: "stop" },
};

function Decided(): ReactNode {
  const lists = useQueries({
    queries: [approvals("approved"), approvals("rejected"), approvals("expired"), approvals("void")],
  });
  const items = lists
    .flatMap((list) => list.data?.items ?? [])
    .sort((one, other) => (other.decidedAt ?? "").localeCompare(one.decidedAt ?? ""))
    .slice(0, 20);
  if (items.length === 0) return null;
  const zone = readerZone();
  return (
    <section className="card" aria-labelledby="d-h">
      <div className="card-h">
        <h2 id="d-h">Recently decided</h2>
      </div>
      <div className="scroll">
        <table className="table reflow">
          <caption className="sr">Recently decided</caption>
          <thead>
            <tr>
              <th scope="col">Decision</th>
              <th scope="col">What was asked</th>
              <th scope="col">By</th>
              <th scope="col">Comment</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {items.map((one) => (
              <tr key={`${one.runId}${one.node}${one.requestedAt}`}>
                <td>{DECIDED[one.status] && <Chip outcome={DECIDED[one.status] as Outcome} />}</td>
                <td data-l="Asked">
                  <span className="two">
                    <Link className="name" to="/run/$run" params={{ run: one.runId }} search={{}}>
                      {one.scheduleName ?? "Run"}
                    </Link>
                    <span>{askedFor(one)}</span>
                  </span>
                </td>
                <td data-l="By">{one.decidedBy ?? "–"}</td>
                <td data-l="Comment">{one.comment ?? "–"}</td>
                <td data-l="When">{one.decidedAt ? dateTime(new Date(one.decidedAt), zone) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function ApprovalsPage(): ReactNode {
  const pending = useQuery(approvals("pending"));
  const count = pending.data?.items.length;
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Approvals</h1>
          <p className="muted" role="status">
            {count === undefined
              ? ""
              : `${count === 1 ? "1 waits" : `${count}${pending.data?.nextCursor ? "+" : ""} wait`}. Requests that expire count as rejected.`}
          </p>
        </div>
      </div>
      <section className="card" aria-label="Waiting approvals">
        <Loaded query={pending} what="Approvals">
          {(page) => <Inbox items={page.items} />}
        </Loaded>
      </section>
      <Decided />
    </>
  );
}
