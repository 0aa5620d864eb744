// Who uses the console: the API key of this tab, the tenant, and what the server refused.
import { BelfryClient } from "belfry";
import { useSyncExternalStore } from "react";

const TOKEN = "belfry.token";
const TENANT = "belfry.tenant";

interface Session {
  token: string | undefined;
  tenant: string;
  client: BelfryClient;
  /** The server wants a key, or does not accept the one it got. */
  asks: boolean;
}

/** A key is kept for this tab only; a tenant is no secret. */
function sessionOf(token: string | undefined, tenant: string, asks: boolean): Session {
  return { token, tenant, asks, client: new BelfryClient({ url: location.origin, token, tenant, maxRetries: 1 }) };
}

let session = sessionOf(sessionStorage.getItem(TOKEN) ?? undefined, localStorage.getItem(TENANT) ?? "default", false);
const listeners = new Set<() => void>();

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}

export const client = (): BelfryClient => session.client;

export function signIn(token: string): void {
  sessionStorage.setItem(TOKEN, token);
  change(sessionOf(token, session.tenant, false));
}

export function signOut(): void {
  sessionStorage.removeItem(TOKEN);
  change(sessionOf(undefined, session.tenant, true));
}

export function chooseTenant(tenant: string): void {
  localStorage.setItem(TENANT, tenant);
  change(sessionOf(session.token, tenant, session.asks));
}

/** Shows the sign-in page. A key that was refused is forgotten. */
export function askForKey(): void {
  if (session.asks) return;
  sessionStorage.removeItem(TOKEN);
  change(sessionOf(undefined, session.tenant, true));
}
