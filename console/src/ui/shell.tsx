// The frame of every page: sidebar, top bar, banners, dialogs of the whole console.
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useEvents, useLive } from "../api/live.js";
import { approvals, health, tenant, tenants, version } from "../api/queries.js";
import { chooseTenant, signOut, useSession } from "../api/session.js";
import { abbreviation, clock, readerZone } from "../text/time.js";
import { CopyButton, Icon, number, useNow } from "./basics.js";
import type { IconName } from "./icons.js";
import { Toasts } from "./overlays.js";
import { useShortcuts } from "./shortcuts.js";
import { SignIn } from "./sign_in.js";

const Help = lazy(async () => ({ default: (await import("./help.js")).Help }));
const Palette = lazy(async () => ({ default: (await import("./palette.js")).Palette }));

export function Logo(): ReactNode {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M3 18V8.5a7 7 0 0 1 14 0V18" />
      <path
        d="M6.5 14.2c1-.9 1.2-2 1.2-3.6a2.3 2.3 0 0 1 4.6 0c0 1.6.2 2.7 1.2 3.6z"
        fill="currentColor"
        strokeWidth="1.2"
      />
      <path d="M10 16.6v.1" />
    </svg>
  );
}

interface Place {
  to: "/" | "/schedule" | "/runs" | "/approvals" | "/calendars" | "/workflows" | "/webhooks" | "/settings";
  word: string;
  icon: IconName;
  /** First parts of the addresses that belong to it. */
  under: readonly string[];
}
export const MAIN: readonly Place[] = [
  { to: "/", word: "Now", icon: "now", under: [""] },
  { to: "/schedule", word: "Schedules", icon: "list", under: ["schedules", "schedule", "new"] },
  { to: "/runs", word: "Runs", icon: "play", under: ["runs", "run"] },
  { to: "/calendars", word: "Calendars", icon: "calendar", under: ["calendars"] },
];
export const OPERATE: readonly Place[] = [
  { to: "/approvals", word: "Approvals", icon: "approve", under: ["approvals"] },
  { to: "/workflows", word: "Workflows", icon: "graph", under: ["workflows", "workflow"] },
  { to: "/webhooks", word: "Webhooks", icon: "plug", under: ["webhooks"] },
  { to: "/settings", word: "Settings", icon: "key", under: ["settings"] },
];

function NavLink({ place, note, hot }: { place: Place; note?: string; hot?: boolean }): ReactNode {
  const first = useLocation().pathname.split("/")[1] ?? "";
  return (
    <Link to={place.to} search={{}} aria-current={place.under.includes(first) ? "page" : undefined}>
      <Icon name={place.icon} />
      {place.word}
      {note && <span className={hot ? "n hot" : "n"}>{note}</span>}
    </Link>
  );
}

function TenantChoice(): ReactNode {
  const session = useSession();
  // A key of one tenant may not list the others; then its tenant is the only one.
  const { data } = useQuery({ ...tenants(), retry: false });
  const names = data?.items.map((one) => one.name) ?? [];
  if (names.length < 2)
    return (
      <div className="tenant" aria-label={`Tenant: ${session.tenant}`} role="img">
        <span className="strong">{session.tenant}</span>
      </div>
    );
  return (
    <select
      className="select"
      aria-label="Tenant"
      value={session.tenant}
      onChange={(event) => chooseTenant(event.target.value)}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

const HEALTH_WORDS = { ok: "All parts ok", degraded: "Degraded", down: "Down" } as const;

function SideFoot(): ReactNode {
  const session = useSession();
  const state = useQuery(health()).data;
  const about = useQuery(version()).data;
  const ok = state?.status === "ok";
  return (
    <div className="side-foot">
      {state && (
        <div className="row">
          <span className={ok ? "dot" : "dot bad"} />
          {state.servers && state.servers > 1 ? `${state.servers} servers, ` : ""}
          {HEALTH_WORDS[state.status]
            .toLowerCase()
            .replace(/^./, (first) => (state.servers && state.servers > 1 ? first : first.toUpperCase()))}
        </div>
      )}
      {about && (
        <div>
          Belfry {about.version} · zone data {about.tzdata}
        </div>
      )}
      {session.token && (
        <div>
          <button className="link small" onClick={signOut}>
            Sign out
          </button>
        </div>
      )}
    </div>
  );
}

function Sidebar(): ReactNode {
  const schedules = useQuery(tenant()).data?.usage.schedules;
  const waiting = useQuery(approvals("pending")).data;
  const asked =
    waiting && waiting.items.length > 0 ? `${waiting.items.length}${waiting.nextCursor ? "+" : ""}` : undefined;
  return (
    <aside className="side" aria-label="Sections">
      <Link className="brand" to="/">
        <Logo />
        Belfry
      </Link>
      <TenantChoice />
      <nav className="nav" aria-label="Main">
        {MAIN.map((place) => (
          <NavLink
            key={place.to}
            place={place}
            note={place.to === "/schedule" && schedules !== undefined ? number(schedules) : undefined}
          />
        ))}
      </nav>
      <nav className="nav" aria-label="Operate">
        <div className="nav-h">Operate</div>
        {OPERATE.map((place) => (
          <NavLink key={place.to} place={place} note={place.to === "/approvals" ? asked : undefined} hot />
        ))}
      </nav>
      <SideFoot />
    </aside>
  );
}

function Clock(): ReactNode {
  const now = useNow();
  const { connected } = useLive();
  const zone = readerZone();
  return (
    <span className="clock" title={`Your zone is ${zone}`}>
      {connected && <span className="live" aria-hidden="true" />}
      <time>
        {clock(now, zone)} {abbreviation(now, zone)}
      </time>
      <span className="z muted">{zone}</span>
    </span>
  );
}

/** The parts of the address as words. */
function Crumbs(): ReactNode {
  const parts = useLocation().pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const place = [...MAIN, ...OPERATE].find((one) => one.under.includes(parts[0] ?? "")) ?? MAIN[0];
  const rest = parts[0] === "new" ? ["New"] : parts.slice(1).map((part) => (part === "edit" ? "Edit" : part));
  if (!place) return null;
  if (rest.length === 0)
    return (
      <nav className="crumbs" aria-label="Breadcrumb">
        <b>{place.word}</b>
      </nav>
    );
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <Link to={place.to} search={{}}>
        {place.word}
      </Link>
      <Icon name="right" className="i i-12" />
      {rest.length > 1 && parts[0] === "schedule" && (
        <>
          <Link to="/schedule/$name" params={{ name: rest[0] ?? "" }} search={{}}>
            {rest[0]}
          </Link>
          <Icon name="right" className="i i-12" />
        </>
      )}
      <b>{rest.at(-1)}</b>
    </nav>
  );
}

const KEY_COMMAND = "belfry token create admin --role admin";

function Banners(): ReactNode {
  const session = useSession();
  const { connected, since } = useLive();
  const reached = useQuery(tenant()).isSuccess;
  // Over TLS, a client certificate may have identified the reader.
  const open = reached && session.token === undefined && location.protocol === "http:";
  return (
    <>
      {!connected && (
        <div className="banner queued" role="status">
          <Icon name="plug" className="i glyph" />
          <div>
            <b>
              Not live since {clock(since, readerZone())} {abbreviation(since, readerZone())}.
            </b>{" "}
            The connection is lost; what you see may be old. Trying again.
          </div>
        </div>
      )}
      {open && (
        <div className="banner skipped">
          <Icon name="lock" className="i glyph" />
          <div>
            <b>This server is open.</b> Anyone who can reach {location.host} may change everything. The first key closes
            it: <code>{KEY_COMMAND}</code>
          </div>
          <div className="actions">
            <CopyButton text={KEY_COMMAND} label="Copy" />
          </div>
        </div>
      )}
    </>
  );
}

export function Shell(): ReactNode {
  const session = useSession();
  const [overlay, setOverlay] = useState<"help" | "palette" | "menu" | undefined>();
  const path = useLocation().pathname;
  useEvents();
  useShortcuts(setOverlay);
  useEffect(() => setOverlay((shown) => (shown === "menu" ? undefined : shown)), [path]);
  if (session.asks) return <SignIn />;
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <div className="app">
        <Sidebar />
        <div className="main">
          <header className="top">
            <button
              className="btn btn-ghost btn-icon menu-btn"
              aria-label="Menu"
              aria-expanded={overlay === "menu"}
              onClick={() => setOverlay("menu")}
            >
              <Icon name="menu" />
            </button>
            <Crumbs />
            <button className="jump push" onClick={() => setOverlay("palette")}>
              <Icon name="search" />
              <span>Search or jump to </span>
              <kbd>Ctrl K</kbd>
            </button>
            <Clock />
            <button
              className="btn btn-ghost btn-icon btn-sm hide-sm"
              aria-label="Keyboard shortcuts and theme"
              onClick={() => setOverlay("help")}
            >
              <Icon name="help" />
            </button>
          </header>
          <Banners />
          <main className="page" id="content" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      {overlay === "menu" && (
        <div
          className="drawer"
          onClick={(event) => {
            if (event.target === event.currentTarget) setOverlay(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") setOverlay(undefined);
          }}
        >
          <Sidebar />
        </div>
      )}
      <Suspense>
        {overlay === "help" && <Help close={() => setOverlay(undefined)} />}
        {overlay === "palette" && <Palette close={() => setOverlay(undefined)} />}
      </Suspense>
      <Toasts />
    </>
  );
}
