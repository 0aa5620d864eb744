// Create and edit: a form, or the same as YAML or JSON, beside what the server says about it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Conflict, InvalidArgument } from "belfry";
import type { FieldError, Forecast, Schedule, ScheduleDraft } from "belfry";
import type { ReactNode } from "react";
import { useEffect, useMemo, useState } from "react";
import { parse, stringify } from "yaml";
import { nextTen, schedule as scheduleQuery } from "../api/queries.js";
import { client } from "../api/session.js";
import { dateTime } from "../text/time.js";
import { CopyButton, Icon } from "../ui/basics.js";
import { Choices, Field, toast } from "../ui/overlays.js";
import { Loaded } from "../ui/states.js";
import { messageOf, refreshAll } from "./actions.js";
import type { Draft } from "./definition.js";
import { definitionOf, NEW_DRAFT } from "./definition.js";
import { FailureSection, WhatSection } from "./edit_what.js";
import { WhenSection } from "./edit_when.js";
import { MISSED, OVERLAP, PolicyCards } from "./policies.js";
import { Preview, WhatChanges } from "./preview.js";

const TYPING_MS = 250;

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Errors by their place in the schedule; the preview wraps it in one more member. */
function placesOf(error: unknown): readonly FieldError[] {
  if (!(error instanceof InvalidArgument)) return [];
  return error.errors.map((one) => ({ ...one, pointer: one.pointer?.replace(/^\/schedule(?=\/)/, "") }));
}

/** A draft without a name is previewed as well: only the times matter. */
const forPreview = (draft: Draft): ScheduleDraft => ({
  spec: draft.spec,
  calendars: draft.calendars,
  overlapPolicy: draft.overlapPolicy,
});

function curlOf(draft: Draft, stored: Schedule | undefined): string {
  const path = `${location.origin}/api/tenants/${client().tenant}/schedules${stored ? `/${encodeURIComponent(stored.id)}` : ""}`;
  const body = JSON.stringify(draft).replace(/'/g, "'\\''");
  return `curl${stored ? " -X PUT" : ""} -H 'Content-Type: application/json' -H "Authorization: Bearer $BELFRY_TOKEN" ${path} -d '${body}'`;
}

function TextEditor({
  draft,
  change,
  stored,
}: {
  draft: Draft;
  change: (draft: Draft) => void;
  stored: Schedule | undefined;
}): ReactNode {
  const [format, setFormat] = useState<"yaml" | "json">("yaml");
  const write = (value: Draft, as: "yaml" | "json"): string =>
    as === "yaml" ? stringify(value) : JSON.stringify(value, null, 2);
  const [text, setText] = useState(() => write(draft, "yaml"));
  const [bad, setBad] = useState<string>();
  const typed = (next: string): void => {
    setText(next);
    try {
      // JSON is YAML, so one parser reads both.
      const value: unknown = parse(next);
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new Error("write an object with name, spec and target");
      change(value as Draft);
      setBad(undefined);
    } catch (caught) {
      setBad(messageOf(caught));
    }
  };
  return (
    <section className="form-sec" aria-label="Definition as text">
      <div className="row row-wrap">
        <Choices
          label="Format"
          value={format}
          choose={(next) => {
            setFormat(next);
            setText(write(draft, next));
            setBad(undefined);
          }}
          choices={[
            ["yaml", "YAML"],
            ["json", "JSON"],
          ]}
        />
        <span className="push" />
        <CopyButton text={text} label="Copy" />
        <CopyButton text={curlOf(draft, stored)} label="Copy as curl" />
      </div>
      <Field
        label="Definition"
        error={bad}
        hint="The same as the form. Members that the form does not show can be set here."
      >
        {(ids) => (
          <textarea
            className="textarea mono"
            rows={28}
            spellCheck={false}
            value={text}
            onChange={(event) => typed(event.target.value)}
            {...ids}
          />
        )}
      </Field>
    </section>
  );
}

function Editor({ stored: loaded, before }: { stored: Schedule | undefined; before: Forecast | undefined }): ReactNode {
  // What the reader began to edit. A later version must not replace it unseen: saving then reports the conflict.
  const [stored] = useState(loaded);
  const navigate = useNavigate();
  const first = useMemo<Draft>(() => (stored ? definitionOf(stored) : NEW_DRAFT), [stored]);
  const [draft, setDraft] = useState(first);
  const [view, setView] = useState<"form" | "text">("form");
  const change = (part: Partial<Draft>): void => setDraft((now) => ({ ...now, ...part }));
  const wanted = useSettled(draft);
  const preview = useQuery({
    queryKey: ["preview", forPreview(wanted)],
    queryFn: () => client().previewDraft({ schedule: forPreview(wanted), limit: 10 }),
    placeholderData: (earlier) => earlier,
    retry: false,
  });
  const save = useMutation({
    mutationFn: () =>
      stored ? client().replaceSchedule(stored.id, draft, { ifMatch: stored.version }) : client().createSchedule(draft),
    onSuccess: (saved) => {
      toast("succeeded", stored ? `Saved ${saved.name} as version ${saved.version}` : `Created ${saved.name}`);
      refreshAll();
      void navigate({ to: "/schedule/$name", params: { name: saved.name }, search: {} });
    },
  });
  const places = [...placesOf(save.error), ...placesOf(preview.error)];
  const errorAt = (pointer: string): string | undefined =>
    places.find((one) => one.pointer === pointer || one.pointer?.startsWith(`${pointer}/`))?.detail;
  const error = save.error ?? preview.error;
  const part = { draft, change, errorAt };
  return (
    <>
      <div className="page-h">
        <div>
          <h1>{stored ? `Edit ${stored.name}` : "New schedule"}</h1>
          {stored && (
            <p className="muted">
              Version {stored.version} · changed {dateTime(new Date(stored.updatedAt), stored.spec.timezone ?? "UTC")}
            </p>
          )}
        </div>
        <div className="actions">
          <Choices
            label="Editor"
            value={view}
            choose={setView}
            choices={[
              ["form", "Form"],
              ["text", "YAML, JSON"],
            ]}
          />
        </div>
      </div>
      <form
        className="stack"
        style={{ gap: 20 }}
        aria-label="Schedule"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <div className="edit">
          <div className="card">
            {view === "text" ? (
              <TextEditor draft={draft} change={setDraft} stored={stored} />
            ) : (
              <>
                <WhatSection {...part} isNew={!stored} />
                <WhenSection {...part} />
                <section className="form-sec" aria-labelledby="s3">
                  <div className="sec-h">
                    <span className="num">3</span>
                    <h2 id="s3">If the last run is still going</h2>
                  </div>
                  <PolicyCards
                    label="Overlap"
                    cards={OVERLAP}
                    value={draft.overlapPolicy ?? "skip"}
                    choose={(overlapPolicy) => change({ overlapPolicy })}
                  />
                </section>
                <section className="form-sec" aria-labelledby="s4">
                  <div className="sec-h">
                    <span className="num">4</span>
                    <h2 id="s4">After downtime run</h2>
                  </div>
                  <PolicyCards
                    label="Missed runs"
                    cards={MISSED}
                    value={draft.missedRunPolicy ?? "skip"}
                    choose={(missedRunPolicy) => change({ missedRunPolicy })}
                  />
                  {draft.missedRunPolicy === "fire_all" && (
                    <Field label="At most" optional="the newest ones count" error={errorAt("/maxBackfill")}>
                      {(ids) => (
                        <input
                          className="input"
                          type="number"
                          min={1}
                          value={draft.maxBackfill ?? ""}
                          onChange={(event) => change({ maxBackfill: Number(event.target.value) || undefined })}
                          {...ids}
                        />
                      )}
                    </Field>
                  )}
                </section>
                <FailureSection {...part} />
              </>
            )}
          </div>
          <div className="sticky stack" style={{ gap: 20 }}>
            <Preview
              forecast={preview.data}
              before={before}
              stale={wanted !== draft || preview.isFetching}
              error={preview.error ? messageOf(preview.error) : undefined}
            />
            {before && preview.data && <WhatChanges before={before} after={preview.data} />}
          </div>
        </div>
        <div className="savebar">
          {error && (
            <span className="row small failed" role="alert" style={{ color: "var(--t)" }}>
              <Icon name="warn" className="i i-12" />
              {error instanceof Conflict
                ? "Another person saved this schedule meanwhile: reload the page to see their version"
                : messageOf(error)}
            </span>
          )}
          <span className="push" />
          {stored ? (
            <Link className="btn btn-ghost" to="/schedule/$name" params={{ name: stored.name }} search={{}}>
              Cancel
            </Link>
          ) : (
            <Link className="btn btn-ghost" to="/schedule" search={{}}>
              Cancel
            </Link>
          )}
          <button className="btn btn-primary" disabled={save.isPending}>
            {stored ? `Save as version ${stored.version + 1}` : "Create schedule"}
          </button>
        </div>
      </form>
    </>
  );
}

const route = getRouteApi("/schedule/$name/edit");

export function EditPage(): ReactNode {
  const { name } = route.useParams();
  const stored = useQuery({ ...scheduleQuery(name), staleTime: Infinity, refetchOnWindowFocus: false });
  const before = useQuery(nextTen(name));
  return (
    <Loaded query={stored} what="The schedule">
      {(one) => <Editor key={one.id} stored={one} before={before.data} />}
    </Loaded>
  );
}

export function NewPage(): ReactNode {
  return <Editor stored={undefined} before={undefined} />;
}
