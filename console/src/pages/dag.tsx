// The graph of a workflow, laid out in layers from left to right.
import { graphlib, layout } from "@dagrejs/dagre";
import type { ReactNode } from "react";
import { useMemo } from "react";
import type { IconName } from "../ui/icons.js";
import { ICONS } from "../ui/icons.js";

export interface DagNode {
  id: string;
  dependsOn: readonly string[];
  look: string;
  glyph: IconName;
  note: string;
}

const WIDTH = 124;
const HEIGHT = 46;

function placed(nodes: readonly DagNode[]): graphlib.Graph {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 20, ranksep: 36, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: WIDTH, height: HEIGHT });
  for (const node of nodes) for (const before of node.dependsOn) graph.setEdge(before, node.id);
  layout(graph);
  return graph;
}

function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const begin = from.x + WIDTH / 2;
  const end = to.x - WIDTH / 2;
  const half = (begin + end) / 2;
  return `M${begin} ${from.y}C${half} ${from.y} ${half} ${to.y} ${end} ${to.y}`;
}

const short = (text: string): string => (text.length > 15 ? `${text.slice(0, 14)}…` : text);

export function Dag({
  nodes,
  selected,
  choose,
}: {
  nodes: readonly DagNode[];
  selected?: string;
  choose?: (id: string) => void;
}): ReactNode {
  const graph = useMemo(() => placed(nodes), [nodes]);
  const { width = 0, height = 0 } = graph.graph();
  const doneLook = new Set(nodes.filter((node) => node.look === "succeeded").map((node) => node.id));
  return (
    <div
      className="card-b scroll"
      tabIndex={choose ? undefined : 0}
      role={choose ? undefined : "region"}
      aria-label={choose ? undefined : "Graph"}
    >
      <svg
        className="dag"
        viewBox={`0 0 ${width} ${height}`}
        style={{ maxWidth: width * 1.25, minWidth: Math.min(width, 744) }}
        role="group"
        aria-label={`Graph: ${nodes.map((node) => (node.dependsOn.length > 0 ? `${node.id} after ${node.dependsOn.join(" and ")}` : node.id)).join("; ")}`}
      >
        {nodes.flatMap((node) =>
          node.dependsOn.map((before) => (
            <path
              key={`${before}>${node.id}`}
              className={doneLook.has(before) ? "edge done" : "edge wait"}
              d={curve(graph.node(before), graph.node(node.id))}
            />
          )),
        )}
        {nodes.map((node) => {
          const { x, y } = graph.node(node.id);
          return (
            <g
              key={node.id}
              className={`${node.look}${node.id === selected ? " sel" : ""}`}
              transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
              role={choose ? "button" : undefined}
              tabIndex={choose ? 0 : undefined}
              aria-pressed={choose ? node.id === selected : undefined}
              onClick={() => choose?.(node.id)}
              onKeyDown={(event) => {
                if (event.key === "Enter" || event.key === " ") {
                  event.preventDefault();
                  choose?.(node.id);
                }
              }}
            >
              {node.id === selected && (
                <rect className="ringbox" x="-4" y="-4" width={WIDTH + 8} height={HEIGHT + 8} rx="10" />
              )}
              <rect className="box" width={WIDTH} height={HEIGHT} rx="7" />
              <svg
                className="i glyph"
                x="9"
                y="8"
                width="14"
                height="14"
                viewBox="0 0 16 16"
                dangerouslySetInnerHTML={{ __html: ICONS[node.glyph] }}
              />
              <text className="nm" x="28" y="19">
                {short(node.id)}{" "}
              </text>
              <text className="st" x="10" y="36">
                {short(node.note)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
