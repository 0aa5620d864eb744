// Keys of the whole console. Single keys do nothing while a field has the focus, and can be turned off.
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

const KEY = "belfry.shortcuts";
export const singleKeysOn = (): boolean => localStorage.getItem(KEY) !== "off";
export const setSingleKeys = (on: boolean): void => localStorage.setItem(KEY, on ? "on" : "off");

export const SHORTCUTS: readonly (readonly [string, string])[] = [
  ["/", "Search this list"],
  ["?", "This help"],
  ["Ctrl K", "Search or jump"],
  ["j  k", "Next and previous row"],
  ["x", "Select the row"],
  ["Enter", "Open the row"],
  ["g n", "Now"],
  ["g s", "Schedules"],
  ["g r", "Runs"],
  ["g c", "Calendars"],
  ["g a", "Approvals"],
  ["g w", "Workflows"],
  ["Esc", "Close"],
];
const PLACES = {
  n: "/",
  s: "/schedule",
  r: "/runs",
  c: "/calendars",
  a: "/approvals",
  w: "/workflows",
} as const;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && target.type === "checkbox")
  );
}

/** Rows are marked with `data-row`; the first link or button inside takes the focus. */
function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  next?.querySelector<HTMLElement>("a, button")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function selectRow(): void {
  document.activeElement?.closest("[data-row]")?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
}

export function useShortcuts(open: (overlay: "help" | "palette") => void): void {
  const navigate = useNavigate();
  const pending = useRef(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !singleKeysOn()) return;
      if (document.querySelector('[role="dialog"]')) return;
      const place = pending.current ? PLACES[event.key as keyof typeof PLACES] : undefined;
      pending.current = event.key === "g" && !pending.current;
      if (place) void navigate({ to: place, search: {} });
      else if (event.key === "?") open("help");
      else if (event.key === "j") moveRow(1);
      else if (event.key === "k") moveRow(-1);
      else if (event.key === "x") selectRow();
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-search]")?.focus();
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [navigate, open]);
}
