// One node of a run: what it does, its attempts, input, result and error.
import type { WalkNode } from "belfry";
import type { ReactNode } from "react";
import type { Outcome } from "../text/outcome.js";
import { outcomeOf } from "../text/outcome.js";
import { dateTime, duration } from "../text/time.js";
import { Chip, CopyButton, Icon, Json } from "../ui/basics.js";

export function nodeOutcome(node: WalkNode): Outcome & { look: string } {
  if (node.status === "waiting") return { look: "waiting" as Outcome["look"], word: "Waiting", glyph: "dots" };
  return outcomeOf(node.status, null);
}

export function NodeCard({
  node,
  nodes,
  zone,
  choose,
}: {
  node: WalkNode;
  nodes: readonly WalkNode[];
  zone: string;
  choose: (id: string) => void;
}): ReactNode {
  const at = nodes.indexOf(node);
  const after = nodes.filter((other) => other.dependsOn?.includes(node.node)).map((other) => other.node);
  const links = (ids: readonly string[]): ReactNode =>
    ids.map((id) => (
      <button className="link" key={id} style={{ marginRight: 8 }} onClick={() => choose(id)}>
        {id}
      </button>
    ));
  const step = (by: number, label: string, flip: boolean): ReactNode => {
    const next = nodes[at + by];
    return (
      <button
        className="btn btn-sm btn-icon btn-ghost"
        aria-label={label}
        disabled={!next}
        onClick={() => next && choose(next.node)}
      >
        <span style={flip ? { transform: "scaleX(-1)", display: "grid" } : undefined}>
          <Icon name="right" />
        </span>
      </button>
    );
  };
  return (
    <section className="card after" aria-labelledby="n-h">
      <div className="card-h">
        <h2 id="n-h">{node.node || "Task"}</h2>
        <Chip outcome={nodeOutcome(node)} />
        {nodes.length > 1 && (
          <span className="push row">
            {step(-1, "Node before", true)}
            {step(1, "Node after", false)}
          </span>
        )}
      </div>
      <div className="card-b stack">
        <dl className="facts small">
          <dt>Kind</dt>
          <dd>
            {node.kind}
            {node.queue && (
              <>
                , queue <span className="mono">{node.queue}</span>
              </>
            )}
          </dd>
          {node.dependsOn && node.dependsOn.length > 0 && (
            <>
              <dt>After</dt>
              <dd>{links(node.dependsOn)}</dd>
            </>
          )}
          {after.length > 0 && (
            <>
              <dt>Before</dt>
              <dd>{links(after)}</dd>
            </>
          )}
          <dt>Attempts</dt>
          <dd>{node.attempts}</dd>
          {node.startedAt && (
            <>
              <dt>Started</dt>
              <dd>{dateTime(new Date(node.startedAt), zone)}</dd>
            </>
          )}
          {node.completedAt && (
            <>
              <dt>Ended</dt>
              <dd>
                {dateTime(new Date(node.completedAt), zone)}
                {node.startedAt && `, after ${duration(Date.parse(node.completedAt) - Date.parse(node.startedAt))}`}
              </dd>
            </>
          )}
          {node.timeoutMs && (
            <>
              <dt>Timeout</dt>
              <dd>{duration(node.timeoutMs)} an attempt</dd>
            </>
          )}
          {node.approvalStatus !== "not_required" && (
            <>
              <dt>Approval</dt>
              <dd>{node.approvalStatus}</dd>
            </>
          )}
        </dl>
        {node.error && (
          <div className="attempt failed">
            <Icon name="x" className="i glyph" />
            <span>
              {node.category && <span className="reason">{node.category}</span>} {node.error}
            </span>
          </div>
        )}
        <div>
          <div className="row" style={{ marginBottom: 8 }}>
            <h3>Input</h3>
            <span className="push">
              <CopyButton text={JSON.stringify(node.input ?? null, null, 2)} label="Copy" />
            </span>
          </div>
          <Json value={node.input ?? null} label="Input of the node" />
        </div>
        {node.result !== null && node.result !== undefined && (
          <div>
            <h3 style={{ marginBottom: 8 }}>Result</h3>
            <Json value={node.result} label="Result of the node" />
          </div>
        )}
      </div>
    </section>
  );
}
