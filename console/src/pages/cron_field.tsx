// One cron expression: a box for each of the five fields with help for the one in focus, or one box for longer forms.
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { Icon } from "../ui/basics.js";

const FIELDS = [
  {
    name: "minute",
    range: "0–59",
    examples: [
      ["*", "every minute"],
      ["0", "on the hour"],
      ["*/15", "0, 15, 30, 45"],
      ["5,35", "a list"],
      ["10-20", "a range, both ends"],
    ],
  },
  {
    name: "hour",
    range: "0–23",
    examples: [
      ["*", "every hour"],
      ["8,12,18", "a list"],
      ["9-17", "a range, both ends"],
      ["*/6", "0, 6, 12, 18"],
      ["22-2", "over midnight"],
    ],
  },
  {
    name: "day",
    range: "1–31",
    examples: [
      ["*", "every day"],
      ["1", "the first"],
      ["L", "the last day"],
      ["15W", "the weekday nearest the 15th"],
      ["1,15", "a list"],
    ],
  },
  {
    name: "month",
    range: "1–12 or JAN–DEC",
    examples: [
      ["*", "every month"],
      ["1", "January"],
      ["*/3", "January, April, July, October"],
      ["JUN-AUG", "a range"],
    ],
  },
  {
    name: "weekday",
    range: "0–7 or SUN–SAT",
    examples: [
      ["*", "every weekday"],
      ["1-5", "Monday to Friday"],
      ["SUN", "Sunday"],
      ["5L", "the last Friday"],
      ["1#2", "the second Monday"],
    ],
  },
] as const;

export function CronField({
  value,
  change,
  error,
  remove,
}: {
  value: string;
  change: (value: string) => void;
  error?: string;
  remove?: () => void;
}): ReactNode {
  const id = useId();
  const [focused, setFocused] = useState<number>();
  const parts = value.split(" ");
  const help = focused === undefined ? undefined : FIELDS[focused];
  const simple = parts.length === 5 && !value.startsWith("@");
  return (
    <div className="stack" style={{ gap: 8 }} role="group" aria-label={`Cron expression ${value}`}>
      {simple ? (
        <div className="cron">
          {FIELDS.map((field, at) => (
            <label key={field.name} className={focused === at ? "on" : ""}>
              {field.name}
              <input
                className="input"
                value={parts[at]}
                spellCheck={false}
                aria-invalid={error !== undefined}
                aria-describedby={error ? `${id}-error` : focused === at ? `${id}-help` : undefined}
                onFocus={() => setFocused(at)}
                onBlur={() => setFocused(undefined)}
                onChange={(event) =>
                  change(
                    parts
                      .map((part, other) => (other === at ? event.target.value.replace(/\s+/g, "") : part))
                      .join(" "),
                  )
                }
              />
            </label>
          ))}
        </div>
      ) : (
        <input
          className="input mono"
          aria-label="Cron expression"
          value={value}
          spellCheck={false}
          aria-invalid={error !== undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={(event) => change(event.target.value)}
        />
      )}
      {error && (
        <p className="error" id={`${id}-error`}>
          <Icon name="warn" className="i i-12" />
          <span>{error}</span>
        </p>
      )}
      {help && (
        <div className="cron-help" id={`${id}-help`}>
          <div>
            <h3>
              {help.name.replace(/^./, (first) => first.toUpperCase())}: {parts[focused ?? 0]}
            </h3>
            <p className="small soft">Values {help.range}</p>
          </div>
          <table>
            <tbody>
              {help.examples.map(([text, says]) => (
                <tr key={text}>
                  <td>
                    <code>{text}</code>
                  </td>
                  <td>{says}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="row">
        <code className="soft">{value}</code>
        <span className="push" />
        <button type="button" className="link small" onClick={() => change(simple ? `0 ${value}` : "0 9 * * *")}>
          {simple ? "As one text, with seconds" : "Five fields"}
        </button>
        {remove && (
          <button type="button" className="link small" onClick={remove}>
            Remove
          </button>
        )}
      </div>
    </div>
  );
}
