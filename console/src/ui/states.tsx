// What a page shows when there is nothing, not yet, not allowed, or something is wrong.
import { ApiError, PermissionDenied } from "belfry";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { Icon } from "./basics.js";

function Art({ children }: { children?: ReactNode }): ReactNode {
  const heights = [10, 16, 14, 18, 12, 16, 18, 14, 16, 12, 18, 16];
  return (
    <svg
      className="art"
      width="96"
      height="40"
      viewBox="0 0 96 40"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      {heights.map((height, at) => (
        <rect key={at} x={6 + at * 7} y={32 - height} width="4.5" height={height} rx="1" opacity="0.5" />
      ))}
      <path d="M2 36h92" opacity="0.5" />
      {children}
    </svg>
  );
}

export function Empty({
  title,
  children,
  actions,
}: {
  title: string;
  children: ReactNode;
  actions?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      <Art />
      <h2>{title}</h2>
      <p>{children}</p>
      {actions && <div className="actions">{actions}</div>}
    </div>
  );
}

/** A refusal says which permission is missing, every other error what to do. */
export function Failure({ what, error, retry }: { what: string; error: unknown; retry: () => void }): ReactNode {
  if (error instanceof PermissionDenied)
    return (
      <Empty title="No permission">{error.detail} Ask an administrator of this tenant for a key with that role.</Empty>
    );
  const request = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div className="empty" role="alert">
      <Art>
        <path d="M42 14l12 12M54 14L42 26" stroke="var(--failed-mark)" strokeWidth="2" />
      </Art>
      <h2>{what} could not be loaded</h2>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <div className="actions">
        <button className="btn" onClick={retry}>
          <Icon name="refresh" />
          Try now
        </button>
      </div>
      {request && (
        <p className="small muted">
          Request <code>{request}</code>
        </p>
      )}
    </div>
  );
}

/** The shape of a table, after 300 ms. */
export function Skeleton({ rows = 5, label }: { rows?: number; label: string }): ReactNode {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="card-b stack" role="status" aria-label={`Loading ${label}`}>
      {shown &&
        Array.from({ length: rows }, (_, at) => (
          <div className="stack" style={{ gap: 6 }} key={at}>
            <span className="sk" style={{ width: `${38 + ((at * 17) % 30)}%` }} />
            <span className="sk" style={{ width: `${18 + ((at * 11) % 20)}%` }} />
          </div>
        ))}
    </div>
  );
}

interface Loadable<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Shows the data of a query, or its state. */
export function Loaded<T>({
  query,
  what,
  rows,
  children,
}: {
  query: Loadable<T>;
  what: string;
  rows?: number;
  children: (data: T) => ReactNode;
}): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure what={what} error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton label={what} rows={rows} />;
}
