// Approve or reject, with what will happen above the buttons.
import { useMutation } from "@tanstack/react-query";
import type { Approval } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { client } from "../api/session.js";
import { Icon } from "../ui/basics.js";
import { Field, toast } from "../ui/overlays.js";
import { failed, refreshAll } from "./actions.js";

const WHY: Record<Approval["why"], string> = {
  run: "every run of this schedule waits for an approval",
  every_node: "every node of this workflow waits for an approval",
  sensitive_action: "the action of the node is sensitive",
  gate: "the action of the node is a gate",
  blocked: "the node was blocked after its attempts",
};
export const whyText = (one: Approval): string => `${WHY[one.why]}${one.action ? ` (${one.action})` : ""}`;

export function askedFor(one: Approval): string {
  const target = one.target as { workflowKind?: string; taskKind?: string; version?: number } | null;
  const what = target?.workflowKind
    ? `workflow ${target.workflowKind}${target.version ? ` v${target.version}` : ""}`
    : target?.taskKind
      ? `task ${target.taskKind}`
      : "the run";
  if (!one.node) return `Start ${what}`;
  return one.action
    ? `${one.action.replace(/^./, (first) => first.toUpperCase())}: node ${one.node} of ${what}`
    : `Start node ${one.node} of ${what}`;
}

export function Effects({ one }: { one: Approval }): ReactNode {
  const what = one.node ? `Node ${one.node}` : "The run";
  return (
    <div className="grid-2">
      <div className="effect">
        <h3>If you approve</h3>
        <p className="soft small">{what} starts at once, with the input shown here. One yes covers its retries.</p>
      </div>
      <div className="effect">
        <h3>If you reject</h3>
        <p className="soft small">
          {one.node
            ? `Node ${one.node} fails, and the nodes after it are skipped.`
            : "The run is cancelled. Nothing starts."}{" "}
          Your comment is kept.
        </p>
      </div>
    </div>
  );
}

export function Decision({ one, done }: { one: Approval; done?: () => void }): ReactNode {
  const [comment, setComment] = useState("");
  const decide = useMutation({
    mutationFn: (yes: boolean) => {
      const body = { node: one.node, comment: comment || undefined };
      return yes ? client().approveRun(one.runId, body) : client().rejectRun(one.runId, body);
    },
    onSuccess: (_, yes) => {
      toast(
        "succeeded",
        `${yes ? "Approved" : "Rejected"} ${one.scheduleName ?? "the run"}${one.node ? ` · ${one.node}` : ""}`,
      );
      setComment("");
      refreshAll();
      done?.();
    },
    onError: failed("The decision was not recorded"),
  });
  return (
    <>
      <Field label="Comment" optional="kept with the decision">
        {(ids) => (
          <textarea
            className="textarea"
            rows={2}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
            {...ids}
          />
        )}
      </Field>
      <div className="row row-wrap">
        <button className="btn btn-primary" disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          <Icon name="check" />
          Approve
        </button>
        <button className="btn btn-danger" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          <Icon name="x" />
          Reject
        </button>
      </div>
    </>
  );
}
