// Search and filters of the list. All of them are in the address.
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { Icon } from "../ui/basics.js";

const route = getRouteApi("/schedule");
const TYPING_MS = 200;

/** A text that reaches the address when the typing pauses. */
function useTyped(
  value: string | undefined,
  commit: (text: string | undefined) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value ?? "");
  useEffect(() => setTyped(value ?? ""), [value]);
  useEffect(() => {
    if (typed === (value ?? "")) return;
    const timer = setTimeout(() => commit(typed || undefined), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped];
}

function Select({
  label,
  value,
  choices,
  choose,
}: {
  label: string;
  value: string | undefined;
  choices: readonly (readonly [string, string])[];
  choose: (value: string | undefined) => void;
}): ReactNode {
  return (
    <label className={value ? "facet on" : "facet"}>
      {label}
      <select value={value ?? ""} onChange={(event) => choose(event.target.value || undefined)}>
        <option value="">any</option>
        {choices.map(([one, word]) => (
          <option value={one} key={one}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Filters({ children }: { children: ReactNode }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (part: Partial<typeof search>): void =>
    void navigate({
      search: (before) => ({ ...before, sort: before.sort === "nextRunAt" ? undefined : before.sort, ...part }),
      replace: true,
    });
  const [q, setQ] = useTyped(search.q, (text) => set({ q: text }));
  const [label, setLabel] = useTyped(search.label, (text) => set({ label: text }));
  const [kind, setKind] = useTyped(search.targetKind, (text) => set({ targetKind: text }));
  const any = Object.values(search).some((value) => value !== undefined);
  return (
    <div className="filters" role="search">
      <div className="with-icon">
        <Icon name="search" />
        <input
          className="input"
          type="search"
          data-search
          aria-label="Search schedules by name"
          placeholder="Name"
          value={q}
          onChange={(event) => setQ(event.target.value)}
        />
        <kbd>/</kbd>
      </div>
      <Select
        label="State"
        value={search.status}
        choices={[
          ["active", "active"],
          ["paused", "paused"],
          ["completed", "completed"],
        ]}
        choose={(status) => set({ status: status as typeof search.status })}
      />
      <label className={search.label ? "facet on" : "facet"}>
        Label
        <input placeholder="team:billing" value={label} onChange={(event) => setLabel(event.target.value)} />
      </label>
      <Select
        label="Starts"
        value={search.target}
        choices={[
          ["task", "tasks"],
          ["workflow", "workflows"],
        ]}
        choose={(target) => set({ target: target as typeof search.target })}
      />
      <label className={search.targetKind ? "facet on" : "facet"}>
        Kind
        <input placeholder="exact kind" value={kind} onChange={(event) => setKind(event.target.value)} />
      </label>
      <Select
        label="Order"
        value={search.sort}
        choices={[
          ["-name", "name, Z first"],
          ["-createdAt", "newest first"],
          ["nextRunAt", "next run"],
        ]}
        choose={(sort) =>
          void navigate({
            search: sort === "nextRunAt" ? { sort } : (before) => ({ ...before, sort: sort as typeof search.sort }),
            replace: true,
          })
        }
      />
      {any && (
        <button className="link small" onClick={() => void navigate({ search: {}, replace: true })}>
          Clear filters
        </button>
      )}
      {children}
    </div>
  );
}
