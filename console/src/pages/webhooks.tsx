// Webhooks with their deliveries, a test, and redelivery.
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Delivery, Webhook } from "belfry";
import type { ReactNode } from "react";
import { deliveries, queryClient, webhooks } from "../api/queries.js";
import { client } from "../api/session.js";
import type { Outcome } from "../text/outcome.js";
import { dateTime, readerZone } from "../text/time.js";
import { Chip, Icon } from "../ui/basics.js";
import { toast } from "../ui/overlays.js";
import { Empty, Loaded } from "../ui/states.js";
import { failed } from "./actions.js";

const route = getRouteApi("/webhooks");
const LOOKS: Record<Delivery["status"], Outcome> = {
  delivered: { look: "succeeded", word: "Delivered", glyph: "check" },
  pending: { look: "queued", word: "Pending", glyph: "dots" },
  failed: { look: "failed", word: "Failed", glyph: "x" },
};

function Deliveries({ hook }: { hook: Webhook }): ReactNode {
  const list = useQuery(deliveries(hook.id));
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ["webhooks", hook.id] });
  const test = useMutation({
    mutationFn: () => client().testWebhook(hook.id),
    onSuccess: (result) => {
      toast(
        result.succeeded ? "succeeded" : "failed",
        result.succeeded ? "The receiver accepted the test" : "The receiver did not accept the test",
        result.error ?? (result.httpStatus ? `HTTP ${result.httpStatus}` : ""),
      );
      refresh();
    },
    onError: failed("The test was not sent"),
  });
  const again = useMutation({
    mutationFn: (position: number) => client().redeliver(hook.id, position),
    onSuccess: () => {
      toast("succeeded", "The event is being sent again");
      refresh();
    },
    onError: failed("The event was not sent"),
  });
  const zone = readerZone();
  return (
    <section className="card" aria-labelledby="dl-h">
      <div className="card-h">
        <h2 id="dl-h">Deliveries</h2>
        <span className="note">newest first · {hook.url}</span>
        <button className="btn btn-sm push" disabled={test.isPending} onClick={() => test.mutate()}>
          <Icon name="bolt" />
          Send a test
        </button>
      </div>
      <Loaded query={list} what="Deliveries">
        {(page) =>
          page.items.length === 0 ? (
            <Empty title="Nothing sent yet">Events appear here when they are sent to this receiver.</Empty>
          ) : (
            <div className="scroll">
              <table className="table reflow">
                <caption className="sr">Deliveries</caption>
                <thead>
                  <tr>
                    <th scope="col">Status</th>
                    <th scope="col">Event</th>
                    <th scope="col">When</th>
                    <th scope="col">Response</th>
                    <th scope="col">
                      <span className="sr">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {page.items.map((one) => (
                    <tr key={one.position} data-row>
                      <td>
                        <Chip outcome={LOOKS[one.status]} />
                      </td>
                      <td data-l="Event">
                        <span className="mono">{one.type}</span>
                      </td>
                      <td data-l="When">{dateTime(new Date(one.happenedAt), zone)}</td>
                      <td data-l="Response">
                        {one.lastHttpStatus ? `HTTP ${one.lastHttpStatus}` : (one.lastError ?? "–")}
                        {one.attempts > 1 ? `, ${one.attempts} attempts` : ""}
                      </td>
                      <td>
                        <button className="btn btn-sm" onClick={() => again.mutate(one.position)}>
                          Send again
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

export function WebhooksPage(): ReactNode {
  const { id } = route.useSearch();
  const list = useQuery(webhooks());
  const shown = list.data?.items.find((one) => one.id === id) ?? list.data?.items[0];
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Webhooks</h1>
          <p className="muted">Receivers of events, with what was sent to them</p>
        </div>
      </div>
      <section className="card" aria-label="Webhooks">
        <Loaded query={list} what="Webhooks">
          {(page) =>
            page.items.length === 0 ? (
              <Empty title="No webhooks yet">Create one with the API: POST …/webhooks. Deliveries appear here.</Empty>
            ) : (
              <div className="scroll">
                <table className="table reflow">
                  <caption className="sr">Webhooks</caption>
                  <thead>
                    <tr>
                      <th scope="col">Receiver</th>
                      <th scope="col">Events</th>
                      <th scope="col">State</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((one) => (
                      <tr key={one.id} data-row className={one.id === shown?.id ? "is-selected" : ""}>
                        <td>
                          <span className="two">
                            <Link className="name" to="/webhooks" search={{ id: one.id }}>
                              {one.url}
                            </Link>
                            <span>{one.description}</span>
                          </span>
                        </td>
                        <td data-l="Events" className="mono">
                          {one.events.length > 0 ? one.events.join(", ") : "all"}
                        </td>
                        <td data-l="State">{one.enabled ? "Enabled" : "Disabled"}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </section>
      {shown && <Deliveries hook={shown} />}
    </>
  );
}
