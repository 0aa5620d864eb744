// Why: the answer for any moment, past or future, with its evidence and the way out.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schedule, Why } from "belfry";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { why } from "../api/queries.js";
import { client } from "../api/session.js";
import type { Outcome } from "../text/outcome.js";
import { outcomeOf } from "../text/outcome.js";
import { dateTime, fullDateTime, instantOf, localInput, withTimes } from "../text/time.js";
import { Chip, Icon, inReaderZone } from "../ui/basics.js";
import { toast } from "../ui/overlays.js";
import { Loaded } from "../ui/states.js";
import { failed, refreshAll } from "./actions.js";

const WORDS: Partial<Record<Why["verdict"], Outcome>> = {
  due: { look: "queued", word: "Due now", glyph: "dots" },
  will_dispatch: { look: "queued", word: "Will run", glyph: "clock" },
  will_skip: { look: "skipped", word: "Will be skipped", glyph: "skip" },
  paused: { look: "paused", word: "Paused", glyph: "pause" },
  not_an_occurrence: { look: "paused", word: "No occurrence", glyph: "stop" },
  not_created: { look: "paused", word: "Not created yet", glyph: "stop" },
  completed: { look: "paused", word: "Completed", glyph: "stop" },
  deleted: { look: "paused", word: "Deleted", glyph: "trash" },
  forgotten: { look: "paused", word: "No record", glyph: "stop" },
};

function outcomeOfWhy(answer: Why): Outcome {
  if (answer.run) return outcomeOf(answer.run.status, answer.run.reason);
  return WORDS[answer.verdict] ?? outcomeOf(answer.verdict === "skipped" ? "skipped" : "queued", answer.reason);
}

function RunThisMoment({ schedule, at }: { schedule: Schedule; at: string }): ReactNode {
  const start = useMutation({
    mutationFn: () => client().backfillSchedule(schedule.id, { from: at, to: at, rerun: "missing" }),
    onSuccess: () => {
      toast("succeeded", `A backfill runs ${dateTime(new Date(at), schedule.spec.timezone ?? "UTC")}`);
      refreshAll();
    },
    onError: failed("The occurrence was not started"),
  });
  return (
    <button className="btn btn-sm btn-primary" disabled={start.isPending} onClick={() => start.mutate()}>
      <Icon name="backfill" />
      Run this moment
    </button>
  );
}

const named = (guards: Why["guards"], outcome: Why["guards"][number]["outcome"]): string =>
  guards
    .filter((guard) => guard.outcome === outcome)
    .map((guard) => guard.guard.replaceAll("_", " "))
    .join(", ");

const ordinal = (count: number): string => {
  const last = count % 10;
  const word = Math.floor(count / 10) === 1 ? "th" : last === 1 ? "st" : last === 2 ? "nd" : last === 3 ? "rd" : "th";
  return `${count}${word}`;
};

function headline(guards: Why["guards"], refusing: number, passed: number): string {
  const checks = `${passed} ${passed === 1 ? "check" : "checks"} passed`;
  if (refusing >= 0) return passed === 0 ? "The 1st check refused" : `${checks}, the ${ordinal(refusing + 1)} refused`;
  return passed === 0 ? "No check was made yet" : passed === guards.length ? `All ${checks}` : checks;
}

/** The chain of guards: a bar for each, and in words what passed, what refused and what was not looked at. */
function Guards({ guards }: { guards: Why["guards"] }): ReactNode {
  if (guards.length === 0) return null;
  const refusing = guards.findIndex((guard) => guard.outcome === "refused");
  const passed = named(guards, "passed");
  const rest = named(guards, "not_reached");
  const title = headline(guards, refusing, guards.filter((guard) => guard.outcome === "passed").length);
  const look = { passed: "", refused: "stop", not_reached: "off" };
  return (
    <div>
      <div className="row" style={{ marginBottom: 10 }}>
        <h3>{title}</h3>
        <span className="small muted push">of {guards.length}</span>
      </div>
      <div className="guards" role="img" aria-label={title}>
        {guards.map((guard) => (
          <i key={guard.guard} className={look[guard.outcome]} title={guard.text} />
        ))}
      </div>
      <p className="small muted" style={{ marginTop: 8 }}>
        {passed && `Passed: ${passed}. `}
        {refusing >= 0 && (
          <>
            Refused: <b className="strong">{named(guards, "refused")}</b>.{" "}
          </>
        )}
        {rest && `Not looked at: ${rest}.`}
      </p>
    </div>
  );
}

function Answer({
  answer,
  schedule,
  choose,
}: {
  answer: Why;
  schedule: Schedule;
  choose: (at: string) => void;
}): ReactNode {
  const zone = answer.timezone;
  return (
    <>
      <div className="card-b stack">
        <div className="stack" style={{ gap: 8 }}>
          <div className="row">
            <Chip outcome={outcomeOfWhy(answer)} />
            {answer.reason && <span className="reason">{answer.reason}</span>}
          </div>
          <p className="answer">{withTimes(answer.answer, zone)}</p>
          {answer.explanation && <p className="soft">{withTimes(answer.explanation, zone)}</p>}
        </div>
        <Guards guards={answer.guards} />
        <dl className="facts small">
          <dt>Moment</dt>
          <dd>
            {fullDateTime(new Date(answer.at), zone)}
            {inReaderZone(new Date(answer.at), zone) && (
              <div className="muted">{inReaderZone(new Date(answer.at), zone)}</div>
            )}
          </dd>
          {answer.run && (
            <>
              <dt>Decided</dt>
              <dd>
                {dateTime(new Date(answer.run.decidedAt), zone)}, by version {answer.run.scheduleVersion}
              </dd>
            </>
          )}
          {answer.run && (
            <>
              <dt>Run</dt>
              <dd>
                <Link to="/run/$run" params={{ run: answer.run.id }} search={{}}>
                  {answer.run.status === "skipped" ? "its record" : "open the run"}
                </Link>
              </dd>
            </>
          )}
          {answer.otherRuns.map((run) => [
            <dt key={`t${run.id}`}>Also</dt>,
            <dd key={run.id}>
              <Link to="/run/$run" params={{ run: run.id }} search={{}}>
                {run.cause} run
              </Link>
              , {outcomeOf(run.status, run.reason).word.toLowerCase()}
            </dd>,
          ])}
          {answer.events.length > 0 && (
            <>
              <dt>Evidence</dt>
              <dd>
                audit {answer.events.length === 1 ? "event" : "events"}{" "}
                {answer.events
                  .slice(0, 4)
                  .map((event) => event.sequence)
                  .join(", ")}
              </dd>
            </>
          )}
        </dl>
      </div>
      <div className="card-f">
        {answer.verdict === "skipped" && <RunThisMoment schedule={schedule} at={answer.at} />}
        {answer.reason?.includes("overlap") && (
          <Link className="btn btn-sm" to="/schedule/$name/edit" params={{ name: schedule.name }}>
            Change overlap
          </Link>
        )}
        <span className="push" />
        <button
          className="btn btn-sm"
          disabled={!answer.previousOccurrence}
          onClick={() => answer.previousOccurrence && choose(answer.previousOccurrence)}
        >
          <span style={{ transform: "scaleX(-1)", display: "grid" }}>
            <Icon name="right" />
          </span>
          Before
        </button>
        <button
          className="btn btn-sm"
          disabled={!answer.nextOccurrence}
          onClick={() => answer.nextOccurrence && choose(answer.nextOccurrence)}
        >
          After
          <Icon name="right" />
        </button>
      </div>
    </>
  );
}

export function WhyPanel({
  schedule,
  at,
  choose,
}: {
  schedule: Schedule;
  at: string;
  choose: (at: string) => void;
}): ReactNode {
  const zone = schedule.spec.timezone ?? "UTC";
  const [local, setLocal] = useState(() => localInput(new Date(at), zone));
  useEffect(() => setLocal(localInput(new Date(at), zone)), [at, zone]);
  const answer = useQuery({ ...why(schedule.id, at), placeholderData: (before) => before });
  return (
    <section className="card why" aria-labelledby="why-h">
      <div className="card-h">
        <h2 id="why-h">Why?</h2>
        <span className="note">any moment, past or future · {zone}</span>
      </div>
      <form
        className="card-b row"
        style={{ paddingBottom: 0 }}
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = instantOf(local, zone);
          if (chosen) choose(chosen.toISOString());
        }}
      >
        <input
          className="input"
          style={{ flex: 1 }}
          type="datetime-local"
          step="1"
          aria-label={`Moment, in ${zone}`}
          value={local}
          onChange={(event) => setLocal(event.target.value)}
        />
        <button className="btn">Ask</button>
      </form>
      <Loaded query={answer} what="The answer" rows={2}>
        {(data) => <Answer answer={data} schedule={schedule} choose={choose} />}
      </Loaded>
    </section>
  );
}
