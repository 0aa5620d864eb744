// The tenant with its limits and what is used, the keys, and the server.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { health, keys, tenant, version } from "../api/queries.js";
import { dateTime, readerZone } from "../text/time.js";
import { number } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";

function Used({ label, used, most }: { label: string; used: number | null; most: number }): ReactNode {
  return (
    <li>
      <span className="strong">{label}</span>
      <span
        className="meter"
        role="img"
        aria-label={`${label}: ${used === null ? "not measured yet" : number(used)} of ${number(most)}`}
      >
        <i style={{ width: `${Math.min(100, ((used ?? 0) / Math.max(1, most)) * 100)}%` }} />
      </span>
      <span className="muted">
        {used === null ? "not measured yet" : number(used)} of {number(most)}
      </span>
    </li>
  );
}

export function SettingsPage(): ReactNode {
  const one = useQuery(tenant());
  const list = useQuery({ ...keys(), retry: false });
  const state = useQuery(health());
  const about = useQuery(version());
  const zone = readerZone();
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Settings</h1>
          <p className="muted">The tenant, its keys, and the server</p>
        </div>
      </div>
      <section className="card" aria-labelledby="t-h">
        <div className="card-h">
          <h2 id="t-h">Tenant</h2>
          <span className="note">limits and what is used</span>
        </div>
        <Loaded query={one} what="The tenant">
          {(data) => (
            <div className="card-b stack">
              <dl className="facts">
                <dt>Name</dt>
                <dd>{data.name}</dd>
                <dt>Dispatch</dt>
                <dd>{data.dispatchEnabled ? "on" : "off: every occurrence is skipped with dispatch_disabled"}</dd>
                <dt>Created</dt>
                <dd>
                  {Date.parse(data.createdAt) === 0 ? "with the server" : dateTime(new Date(data.createdAt), zone)}
                </dd>
              </dl>
              <ul className="quiet used">
                <Used label="Schedules" used={data.usage.schedules} most={data.limits.schedules} />
                <Used label="Runs today (UTC)" used={data.usage.runsToday} most={data.limits.runsPerDay} />
                <Used label="Stored bytes" used={data.usage.storedBytes} most={data.limits.storedBytes} />
              </ul>
            </div>
          )}
        </Loaded>
      </section>
      <section className="card" aria-labelledby="k-h">
        <div className="card-h">
          <h2 id="k-h">API keys</h2>
          <span className="note">of the whole server; secrets are never shown again</span>
        </div>
        <Loaded query={list} what="Keys">
          {(page) =>
            page.items.length === 0 ? (
              <Empty title="No keys">This server is open. On the server: belfry token create admin --role admin</Empty>
            ) : (
              <div className="scroll">
                <table className="table reflow">
                  <caption className="sr">API keys</caption>
                  <thead>
                    <tr>
                      <th scope="col">Name</th>
                      <th scope="col">Roles</th>
                      <th scope="col">State</th>
                      <th scope="col">Created</th>
                      <th scope="col">Expires</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((key) => (
                      <tr key={key.id}>
                        <td>
                          <span className="name">{key.name}</span>
                        </td>
                        <td data-l="Roles">
                          {Object.entries(key.roles).map(([where, roles]) => (
                            <span className="tag" key={where}>
                              <b>{where}:</b>
                              {String(roles)}
                            </span>
                          ))}
                        </td>
                        <td data-l="State">{key.state}</td>
                        <td data-l="Created">{dateTime(new Date(key.createdAt), zone)}</td>
                        <td data-l="Expires">{key.expiresAt ? dateTime(new Date(key.expiresAt), zone) : "never"}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </section>
      <section className="card" aria-labelledby="s-h">
        <div className="card-h">
          <h2 id="s-h">Server</h2>
        </div>
        <Loaded query={state} what="The health">
          {(data) => (
            <div className="card-b">
              <dl className="facts">
                <dt>Status</dt>
                <dd>{data.status}</dd>
                {about.data && (
                  <>
                    <dt>Version</dt>
                    <dd>{about.data.version}</dd>
                    <dt>Zone data</dt>
                    <dd>{about.data.tzdata}</dd>
                  </>
                )}
                {data.servers !== undefined && (
                  <>
                    <dt>Servers</dt>
                    <dd>{data.servers}</dd>
                  </>
                )}
                {data.schedules !== undefined && (
                  <>
                    <dt>Schedules loaded</dt>
                    <dd>{number(data.schedules)}</dd>
                  </>
                )}
                {data.quarantined?.length ? (
                  <>
                    <dt>Quarantined</dt>
                    <dd>{data.quarantined.length}</dd>
                  </>
                ) : null}
              </dl>
            </div>
          )}
        </Loaded>
      </section>
    </>
  );
}
