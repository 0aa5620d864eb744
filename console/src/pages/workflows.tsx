// Workflows, their versions, and the graph of each.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMemo } from "react";
import { workflow as workflowQuery, workflows, workflowVersions } from "../api/queries.js";
import { dateTime, readerZone } from "../text/time.js";
import { Json } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";
import { Dag } from "./dag.js";

export function WorkflowsPage(): ReactNode {
  const list = useQuery(workflows());
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Workflows</h1>
          <p className="muted">Graphs of tasks that schedules start</p>
        </div>
      </div>
      <section className="card" aria-label="Workflows">
        <Loaded query={list} what="Workflows">
          {(page) =>
            page.items.length === 0 ? (
              <Empty title="No workflows yet">
                Deploy one with the API: PUT …/workflows/NAME. Its graph appears here.
              </Empty>
            ) : (
              <table className="table">
                <caption className="sr">Workflows</caption>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col" className="num">
                      Newest version
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {page.items.map((one) => (
                    <tr key={one.name} data-row>
                      <td>
                        <Link className="name" to="/workflow/$name" params={{ name: one.name }} search={{}}>
                          {one.name}
                        </Link>
                      </td>
                      <td className="num">{one.version}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
    </>
  );
}

const route = getRouteApi("/workflow/$name");

export function WorkflowPage(): ReactNode {
  const { name } = route.useParams();
  const { version } = route.useSearch();
  const one = useQuery(workflowQuery(name, version));
  const versions = useQuery(workflowVersions(name));
  const nodes = useMemo(
    () =>
      (one.data?.nodes ?? []).map((node) => ({
        id: node.id,
        dependsOn: node.dependsOn ?? [],
        look: "queued",
        glyph: "graph" as const,
        note: node.action ?? node.taskKind ?? node.kind ?? "task",
      })),
    [one.data],
  );
  return (
    <>
      <div className="page-h">
        <div>
          <h1>{name}</h1>
          <p className="lede">{one.data?.description}</p>
        </div>
      </div>
      <div className="cols cols-main">
        <div className="stack" style={{ gap: 20 }}>
          <section className="card" aria-labelledby="wf-h">
            <div className="card-h">
              <h2 id="wf-h">Version {one.data?.version ?? ""}</h2>
              <span className="note">left to right</span>
            </div>
            <Loaded query={one} what="The workflow">
              {() => <Dag nodes={nodes} />}
            </Loaded>
          </section>
          {one.data && (
            <section className="card" aria-labelledby="def-h">
              <div className="card-h">
                <h2 id="def-h">Definition</h2>
              </div>
              <div className="card-b">
                <Json value={one.data.nodes} label="Nodes as JSON" />
              </div>
            </section>
          )}
        </div>
        <section className="card" aria-labelledby="v-h">
          <div className="card-h">
            <h2 id="v-h">Versions</h2>
            <span className="note">newest first</span>
          </div>
          <Loaded query={versions} what="Versions">
            {(page) => (
              <table className="table">
                <caption className="sr">Versions</caption>
                <thead>
                  <tr>
                    <th scope="col">Version</th>
                    <th scope="col">Deployed</th>
                    <th scope="col" className="num">
                      Nodes
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {page.items.map((item) => (
                    <tr key={item.version} data-row className={item.version === one.data?.version ? "is-selected" : ""}>
                      <td>
                        <Link
                          className="name"
                          to="/workflow/$name"
                          params={{ name }}
                          search={{ version: item.version }}
                        >
                          {item.version}
                        </Link>
                      </td>
                      <td>
                        {dateTime(new Date(item.createdAt), readerZone())}
                        {item.createdBy && <div className="small muted">{item.createdBy}</div>}
                      </td>
                      <td className="num">{item.nodes}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Loaded>
        </section>
      </div>
    </>
  );
}
