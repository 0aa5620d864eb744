// Policies as cards: a name, its consequence as a small timeline, and a line of text.
import type { Schedule } from "belfry";
import type { ReactNode } from "react";

interface Card<T extends string> {
  value: T;
  name: string;
  says: string;
  drawing: ReactNode;
}

const TICKS = [16, 72, 128];
function Timeline({ children, ticks = TICKS }: { children: ReactNode; ticks?: readonly number[] }): ReactNode {
  return (
    <svg className="tl" viewBox="0 0 180 44" aria-hidden="true">
      <line className="base" x1="0" y1="38.5" x2="180" y2="38.5" />
      {ticks.map((x) => (
        <line className="tick" key={x} x1={x} y1="35" x2={x} y2="42" />
      ))}
      {children}
    </svg>
  );
}
const Bar = ({
  x,
  width,
  low,
  className = "run",
}: {
  x: number;
  width: number;
  low?: boolean;
  className?: string;
}): ReactNode => <rect className={className} x={x} y={low ? 22 : 6} width={width} height="9" rx="2" />;

export const OVERLAP: readonly Card<Schedule["overlapPolicy"]>[] = [
  {
    value: "skip",
    name: "Skip this one",
    says: "The second does not start. Its reason is overlap_in_flight.",
    drawing: (
      <Timeline>
        <Bar x={16} width={76} />
        <path className="no" d="M69 23l7 7M76 23l-7 7" />
        <Bar x={128} width={44} />
      </Timeline>
    ),
  },
  {
    value: "buffer_one",
    name: "Queue one",
    says: "One waits and starts when the first ends. More are skipped.",
    drawing: (
      <Timeline>
        <Bar x={16} width={76} />
        <Bar className="buf" x={72} width={20} low />
        <Bar x={93} width={50} low />
        <Bar className="buf" x={128} width={15} />
        <Bar x={144} width={34} />
      </Timeline>
    ),
  },
  {
    value: "buffer_all",
    name: "Queue all",
    says: "All wait and start one after the other. The queue may grow.",
    drawing: (
      <Timeline>
        <Bar x={16} width={84} />
        <Bar className="buf" x={72} width={28} low />
        <Bar x={101} width={58} low />
        <Bar className="buf" x={128} width={31} />
        <Bar x={160} width={18} />
      </Timeline>
    ),
  },
  {
    value: "cancel_other",
    name: "Cancel it",
    says: "The first is asked to stop, the second starts on time.",
    drawing: (
      <Timeline>
        <Bar className="cut" x={16} width={60} />
        <Bar x={72} width={48} low />
        <Bar x={128} width={44} />
      </Timeline>
    ),
  },
  {
    value: "terminate_other",
    name: "Terminate it",
    says: "The first ends at once, without a chance to clean up.",
    drawing: (
      <Timeline>
        <Bar className="cut" x={16} width={55} />
        <path className="no" d="M72 4v13" style={{ stroke: "var(--failed-mark)" }} />
        <Bar x={73} width={48} low />
        <Bar x={128} width={44} />
      </Timeline>
    ),
  },
  {
    value: "allow_all",
    name: "Allow both",
    says: "Both run side by side, up to the limit of runs at once.",
    drawing: (
      <Timeline>
        <Bar x={16} width={84} />
        <Bar x={72} width={70} low />
        <Bar x={128} width={50} />
      </Timeline>
    ),
  },
];

const DOWN_TICKS = [10, 48, 72, 96, 134, 160];
const Down = (): ReactNode => (
  <>
    <rect className="hole" x="36" y="2" width="78" height="34" />
    <text x="75" y="12" textAnchor="middle">
      down
    </text>
  </>
);
const missed = [46, 70, 94].map((x) => (
  <rect key={x} className="no" x={x} y="22" width="4" height="9" style={{ stroke: "var(--missed-mark)" }} />
));
const After = (): ReactNode => (
  <>
    <Bar x={10} width={18} low />
    <Bar x={134} width={18} low />
    <Bar x={160} width={18} low />
  </>
);

export const MISSED: readonly Card<Schedule["missedRunPolicy"]>[] = [
  {
    value: "skip",
    name: "Nothing",
    says: "Missed occurrences stay missed_run; none is started.",
    drawing: (
      <Timeline ticks={DOWN_TICKS}>
        <Down />
        {missed}
        <After />
      </Timeline>
    ),
  },
  {
    value: "fire_once",
    name: "Once",
    says: "One run makes up for all of them when the server is back.",
    drawing: (
      <Timeline ticks={DOWN_TICKS}>
        <Down />
        {missed.slice(0, 2)}
        <Bar x={115} width={15} low />
        <After />
      </Timeline>
    ),
  },
  {
    value: "fire_all",
    name: "Every missed run",
    says: "Oldest first, up to the limit below. Older ones stay missed.",
    drawing: (
      <Timeline ticks={DOWN_TICKS}>
        <Down />
        {[115, 121, 127].map((x) => (
          <Bar key={x} x={x} width={5} low />
        ))}
        <After />
      </Timeline>
    ),
  },
  {
    value: "spread",
    name: "Every missed run, spread",
    says: "All of them, spread over a while so that they do not start at once.",
    drawing: (
      <Timeline ticks={DOWN_TICKS}>
        <Down />
        {[115, 128, 153].map((x) => (
          <Bar key={x} x={x} width={5} low />
        ))}
        <After />
      </Timeline>
    ),
  },
];

export function PolicyCards<T extends string>({
  label,
  cards,
  value,
  choose,
}: {
  label: string;
  cards: readonly Card<T>[];
  value: T;
  choose: (value: T) => void;
}): ReactNode {
  const move = (event: React.KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = (cards.findIndex((card) => card.value === value) + step + cards.length) % cards.length;
    const next = cards[to];
    if (!next) return;
    choose(next.value);
    event.currentTarget.querySelectorAll<HTMLElement>('[role="radio"]')[to]?.focus();
  };
  return (
    <div className="grid-3" role="radiogroup" aria-label={label} onKeyDown={move}>
      {cards.map((card) => (
        <button
          type="button"
          className="policy"
          role="radio"
          key={card.value}
          aria-checked={card.value === value}
          tabIndex={card.value === value ? 0 : -1}
          onClick={() => choose(card.value)}
        >
          <span className="t">
            <span className="radio" />
            {card.name}
          </span>
          {card.drawing}
          <p>{card.says}</p>
        </button>
      ))}
    </div>
  );
}
