// Every node on one axis: hollow while it waits in a queue or for a person, filled while it runs.
import type { Run, WalkNode } from "belfry";
import type { ReactNode } from "react";
import { clock, duration } from "../text/time.js";
import { Icon, useNow } from "../ui/basics.js";
import { nodeOutcome } from "./run_node.js";

const time = (at: string | null): number | undefined => (at ? Date.parse(at) : undefined);

export function Timeline({
  run,
  nodes,
  zone,
  selected,
}: {
  run: Run;
  nodes: readonly WalkNode[];
  zone: string;
  selected: string | undefined;
}): ReactNode {
  const now = useNow().getTime();
  const begin = Date.parse(run.decidedAt);
  const end = Math.max(begin + 1, run.completedAt ? Date.parse(run.completedAt) : now);
  const percent = (at: number): number => Math.min(100, Math.max(0, ((at - begin) / (end - begin)) * 100));
  const bar = (from: number, to: number): React.CSSProperties => ({
    left: `${percent(from)}%`,
    width: `${Math.max(0, percent(to) - percent(from))}%`,
  });
  return (
    <section className="card" aria-labelledby="w-h">
      <div className="card-h">
        <h2 id="w-h">Timeline</h2>
        <span className="note">hollow: waits, filled: the newest attempt</span>
      </div>
      <div className="card-b scroll" tabIndex={0} role="region" aria-label="Timeline of the nodes">
        <div className="wf">
          <span className="ax" />
          <span className="ax">
            <b style={{ left: 0 }}>{clock(new Date(begin), zone, true)}</b>
            {[25, 50, 75].map((at) => (
              <b key={at} style={{ left: `${at}%` }}>
                +{duration(((end - begin) * at) / 100)}
              </b>
            ))}
          </span>
          <span className="ax" />
          {nodes.map((node) => {
            const outcome = nodeOutcome(node);
            const ready = time(node.readyAt);
            const started = time(node.startedAt);
            const completed = time(node.completedAt) ?? (started ? now : undefined);
            const on = node.node === selected ? " sel" : "";
            return [
              <span className={`nm ${outcome.look}${on}`} key={`n${node.node}`}>
                <Icon name={outcome.glyph} className="i glyph" />
                <span className="ellipsis">{node.node || "task"}</span>
              </span>,
              <span className={`tr${on}`} key={`t${node.node}`}>
                {ready !== undefined && (
                  <i className={`${outcome.look} lag`} style={bar(ready, started ?? completed ?? end)} />
                )}
                {started !== undefined && (
                  <i
                    className={`${outcome.look}${node.completedAt ? "" : " going"}`}
                    style={bar(started, completed ?? end)}
                  />
                )}
              </span>,
              <span className={`du${on}`} key={`d${node.node}`}>
                {started !== undefined && completed !== undefined ? duration(completed - started) : "–"}
                {node.attempts > 1 ? `, ${node.attempts} tries` : ""}
              </span>,
            ];
          })}
        </div>
      </div>
    </section>
  );
}
