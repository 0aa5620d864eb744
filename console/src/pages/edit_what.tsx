// What it starts, and what happens when it fails.
import { useQuery } from "@tanstack/react-query";
import type { TargetRequest } from "belfry";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { workflows } from "../api/queries.js";
import { Choices, Field } from "../ui/overlays.js";
import type { Draft } from "./definition.js";

interface Part {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  errorAt: (pointer: string) => string | undefined;
}

type Kind = "task" | "workflow" | "http" | "command";

function kindOf(target: TargetRequest): Kind {
  if (target.type === "workflow" || target.workflowKind !== undefined) return "workflow";
  return target.taskKind === "http" || target.taskKind === "command" ? target.taskKind : "task";
}

const EMPTY: Record<Kind, TargetRequest> = {
  task: { type: "task", taskKind: "", input: {} },
  workflow: { type: "workflow", workflowKind: "", input: {} },
  http: { type: "task", taskKind: "http", input: { url: "https://", method: "POST" } },
  command: { type: "task", taskKind: "command", input: { command: "" } },
};

/** A JSON value as text. It reaches the draft while it is valid. */
export function JsonField({
  label,
  optional,
  value,
  change,
  error,
  hint,
}: {
  label: string;
  optional?: string;
  value: unknown;
  change: (value: unknown) => void;
  error?: string;
  hint?: string;
}): ReactNode {
  const [text, setText] = useState(() => (value === undefined || value === null ? "" : JSON.stringify(value, null, 2)));
  const [bad, setBad] = useState<string>();
  useEffect(
    () =>
      setText((before) => {
        try {
          if (JSON.stringify(JSON.parse(before || "null")) === JSON.stringify(value ?? null)) return before;
        } catch {
          /* what is typed is not JSON yet */ return before;
        }
        return value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
      }),
    [value],
  );
  const typed = (next: string): void => {
    setText(next);
    try {
      change(next.trim() === "" ? undefined : JSON.parse(next));
      setBad(undefined);
    } catch (caught) {
      setBad(`This is not JSON – ${caught instanceof Error ? caught.message : "check quotes and commas"}`);
    }
  };
  return (
    <Field label={label} optional={optional} hint={hint} error={bad ?? error}>
      {(ids) => (
        <textarea
          className="textarea mono"
          rows={3}
          spellCheck={false}
          value={text}
          onChange={(event) => typed(event.target.value)}
          {...ids}
        />
      )}
    </Field>
  );
}

function TargetFields({ draft, change, errorAt }: Part): ReactNode {
  const { target } = draft;
  const kind = kindOf(target);
  const known = useQuery({ ...workflows(), enabled: kind === "workflow" }).data?.items ?? [];
  const set = (part: Partial<TargetRequest>): void => change({ target: { ...target, ...part } });
  const input = (target.input ?? {}) as Record<string, unknown>;
  if (kind === "workflow") {
    return (
      <Field
        label="Workflow"
        error={errorAt("/target/workflowKind")}
        hint="The newest version runs, unless the JSON names one."
      >
        {(ids) => (
          <>
            <input
              className="input"
              list="workflows"
              value={target.workflowKind ?? ""}
              onChange={(event) => set({ workflowKind: event.target.value })}
              {...ids}
            />
            <datalist id="workflows">
              {known.map((one) => (
                <option key={one.name} value={one.name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    );
  }
  if (kind === "http") {
    return (
      <>
        <Field label="URL" error={errorAt("/target/input/url") ?? errorAt("/target/url")}>
          {(ids) => (
            <input
              className="input"
              value={String(input.url ?? target.url ?? "")}
              onChange={(event) => set({ input: { ...input, url: event.target.value } })}
              {...ids}
            />
          )}
        </Field>
        <Field label="Method" error={errorAt("/target/input/method") ?? errorAt("/target/method")}>
          {(ids) => (
            <select
              className="select"
              value={String(input.method ?? target.method ?? "GET")}
              onChange={(event) => set({ input: { ...input, method: event.target.value } })}
              {...ids}
            >
              {["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      </>
    );
  }
  if (kind === "command")
    return (
      <Field
        label="Command"
        hint="A command that the server's operator has registered."
        error={errorAt("/target/input/command") ?? errorAt("/target/command")}
      >
        {(ids) => (
          <input
            className="input"
            value={String(input.command ?? "")}
            onChange={(event) => set({ input: { ...input, command: event.target.value } })}
            {...ids}
          />
        )}
      </Field>
    );
  return (
    <Field label="Task kind" hint="Workers that know this kind claim its tasks." error={errorAt("/target/taskKind")}>
      {(ids) => (
        <input
          className="input"
          value={target.taskKind ?? ""}
          onChange={(event) => set({ taskKind: event.target.value })}
          {...ids}
        />
      )}
    </Field>
  );
}

const labelsText = (labels: Record<string, string> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}:${value}`)
    .join(", ");
function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean)
      .map((one) => {
        const at = one.indexOf(":");
        return at < 0 ? [one, ""] : [one.slice(0, at).trim(), one.slice(at + 1).trim()];
      }),
  );
}

export function WhatSection(part: Part & { isNew: boolean }): ReactNode {
  const { draft, change, errorAt } = part;
  const [labels, setLabels] = useState(labelsText(draft.labels));
  return (
    <section className="form-sec" aria-labelledby="s1">
      <div className="sec-h">
        <span className="num">1</span>
        <h2 id="s1">What</h2>
      </div>
      <div className="grid-2">
        <Field label="Name" error={errorAt("/name")}>
          {(ids) => (
            <input
              className="input"
              autoFocus={part.isNew}
              value={draft.name}
              onChange={(event) => change({ name: event.target.value })}
              {...ids}
            />
          )}
        </Field>
        <Field label="Labels" optional="optional" hint="team:billing, tier:1" error={errorAt("/labels")}>
          {(ids) => (
            <input
              className="input"
              value={labels}
              onChange={(event) => {
                setLabels(event.target.value);
                change({ labels: labelsOf(event.target.value) });
              }}
              {...ids}
            />
          )}
        </Field>
      </div>
      <div className="field">
        <span className="label">Starts</span>
        <Choices
          label="Starts"
          value={kindOf(draft.target)}
          choose={(kind) => change({ target: EMPTY[kind] })}
          choices={[
            ["task", "Task"],
            ["workflow", "Workflow"],
            ["http", "HTTP call"],
            ["command", "Command"],
          ]}
        />
      </div>
      <div className="grid-2">
        <TargetFields {...part} />
      </div>
      <JsonField
        label="Input"
        optional="JSON, the same for every run"
        value={draft.target.input}
        change={(input) => change({ target: { ...draft.target, input } })}
        error={errorAt("/target/input")}
      />
    </section>
  );
}

export function FailureSection({ draft, change, errorAt }: Part): ReactNode {
  const retry = draft.retryPolicy ?? {};
  const whole = (text: string): number | undefined => (text === "" ? undefined : Number(text));
  return (
    <section className="form-sec" aria-labelledby="s5">
      <div className="sec-h">
        <span className="num">5</span>
        <h2 id="s5">Condition, retries, approval</h2>
      </div>
      <div className="grid-2">
        <Field label="Retries" hint="attempts after the first" error={errorAt("/retryPolicy/maxRetries")}>
          {(ids) => (
            <input
              className="input"
              type="number"
              min={0}
              value={retry.maxRetries ?? ""}
              onChange={(event) => change({ retryPolicy: { ...retry, maxRetries: whole(event.target.value) } })}
              {...ids}
            />
          )}
        </Field>
        <Field
          label="First wait"
          optional="milliseconds"
          hint="doubles with each retry"
          error={errorAt("/retryPolicy/backoffMs")}
        >
          {(ids) => (
            <input
              className="input"
              type="number"
              min={0}
              value={retry.backoffMs ?? ""}
              onChange={(event) => change({ retryPolicy: { ...retry, backoffMs: whole(event.target.value) } })}
              {...ids}
            />
          )}
        </Field>
        <Field label="Approval" hint="Asked for at most 24 h, then rejected." error={errorAt("/approvalPolicy")}>
          {(ids) => (
            <select
              className="select"
              value={draft.approvalPolicy?.requiresApproval ? "yes" : "no"}
              onChange={(event) =>
                change({ approvalPolicy: { ...draft.approvalPolicy, requiresApproval: event.target.value === "yes" } })
              }
              {...ids}
            >
              <option value="no">not needed for runs</option>
              <option value="yes">every run waits for one</option>
            </select>
          )}
        </Field>
        <Field
          label="Stops itself after"
          optional="failures in a row"
          hint="Empty: never. Until a person resumes it."
          error={errorAt("/breaker")}
        >
          {(ids) => (
            <input
              className="input"
              type="number"
              min={1}
              value={draft.breaker?.maxConsecutiveFailures ?? ""}
              onChange={(event) => {
                const count = whole(event.target.value);
                change({ breaker: count === undefined ? null : { ...draft.breaker, maxConsecutiveFailures: count } });
              }}
              {...ids}
            />
          )}
        </Field>
      </div>
      <JsonField
        label="Runs only if"
        optional="condition as JSON"
        value={draft.preDispatchCondition}
        change={(preDispatchCondition) => change({ preDispatchCondition: preDispatchCondition ?? null })}
        error={errorAt("/preDispatchCondition")}
      />
    </section>
  );
}
