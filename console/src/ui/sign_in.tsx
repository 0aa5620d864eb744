// Asks for an API key, and checks it before it keeps it.
import { BelfryClient, PermissionDenied, Unauthenticated } from "belfry";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { queryClient } from "../api/queries.js";
import { signIn, useSession } from "../api/session.js";
import { Field } from "./overlays.js";
import { Logo } from "./shell.js";

export function SignIn(): ReactNode {
  const { tenant } = useSession();
  const [key, setKey] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await new BelfryClient({ url: location.origin, token: key.trim(), tenant }).listSchedules({
        limit: 1,
        fields: ["id"],
      });
    } catch (caught) {
      // A key that may not read schedules is still a key: the pages say what it may not do.
      if (!(caught instanceof PermissionDenied)) {
        setBusy(false);
        setError(
          caught instanceof Unauthenticated
            ? "This key is not accepted. The server's log says why."
            : caught instanceof Error
              ? caught.message
              : String(caught),
        );
        return;
      }
    }
    queryClient.clear();
    signIn(key.trim());
  };
  return (
    <main className="stage" style={{ minHeight: "100vh", borderRadius: 0, border: 0 }}>
      <form className="card signin" onSubmit={(event) => void submit(event)} aria-labelledby="signin">
        <div className="brand" style={{ padding: 0, height: "auto" }}>
          <Logo />
          <h1 id="signin">Sign in to Belfry</h1>
        </div>
        <Field label="API key" error={error}>
          {(ids) => (
            <input
              className="input"
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
              {...ids}
            />
          )}
        </Field>
        <button className={busy ? "btn btn-primary is-busy" : "btn btn-primary"} disabled={busy || key.trim() === ""}>
          Sign in
        </button>
        <p className="small muted">
          The key stays in this tab and ends with it. No key yet? On the server: <code>belfry token create</code>
        </p>
      </form>
    </main>
  );
}
