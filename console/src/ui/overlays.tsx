// Dialogs and toasts. A dialog keeps the focus inside and returns it; on phones it is a sheet from below.
import type { ReactNode } from "react";
import { useEffect, useId, useState, useSyncExternalStore } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Icon } from "./basics.js";
import type { IconName } from "./icons.js";

export function Dialog({
  title,
  intro,
  close,
  children,
  footer,
}: {
  title: string;
  intro?: ReactNode;
  close: () => void;
  children: ReactNode;
  footer: ReactNode;
}): ReactNode {
  return (
    <ModalOverlay
      className="layer"
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      <Modal className="dialog">
        <AriaDialog className="dialog-in">
          <div className="dialog-h">
            <div>
              <Heading slot="title" level={2}>
                {title}
              </Heading>
              {intro && <p className="soft">{intro}</p>}
            </div>
            <button className="btn btn-icon btn-sm btn-ghost" aria-label="Close" onClick={close}>
              <Icon name="x" />
            </button>
          </div>
          <div className="dialog-b">{children}</div>
          <div className="dialog-f">{footer}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface Toast {
  id: number;
  look: "succeeded" | "skipped" | "failed";
  title: string;
  detail?: ReactNode;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const SHOWN_MS = 6000;

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function toast(look: Toast["look"], title: string, detail?: ReactNode): void {
  change([...toasts.slice(-3), { id: ++lastId, look, title, detail }]);
}

const GLYPHS: Record<Toast["look"], IconName> = { succeeded: "check", skipped: "warn", failed: "x" };

/** Errors stay until they are closed. */
function OneToast({ one }: { one: Toast }): ReactNode {
  const close = (): void => change(toasts.filter((other) => other.id !== one.id));
  useEffect(() => {
    if (one.look === "failed") return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className={`toast ${one.look}`} role={one.look === "failed" ? "alert" : "status"}>
      <Icon name={GLYPHS[one.look]} className="i glyph" />
      <div>
        <div className="strong">{one.title}</div>
        {one.detail && <div className="small soft">{one.detail}</div>}
      </div>
      <div className="actions">
        <button className="btn btn-icon btn-sm btn-ghost" aria-label="Close" onClick={close}>
          <Icon name="x" />
        </button>
      </div>
    </div>
  );
}

export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts">
      {shown.map((one) => (
        <OneToast one={one} key={one.id} />
      ))}
    </div>
  );
}

/** A field with its label above and its hint or error below. */
export function Field({
  label,
  optional,
  hint,
  error,
  children,
}: {
  label: string;
  optional?: string;
  hint?: ReactNode;
  error?: string;
  children: (ids: { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean }) => ReactNode;
}): ReactNode {
  const id = useId();
  const note = hint || error ? `${id}-note` : undefined;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
        {optional && <span className="opt">{optional}</span>}
      </label>
      {children({ id, "aria-describedby": note, "aria-invalid": error !== undefined })}
      {error && (
        <p className="error" id={note}>
          <Icon name="warn" className="i i-12" />
          <span>{error}</span>
        </p>
      )}
      {!error && hint && (
        <p className="hint" id={note}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Radio buttons in a row, with arrow keys. */
export function Choices<T extends string>({
  label,
  value,
  choices,
  choose,
  className = "seg",
}: {
  label: string;
  value: T;
  choices: readonly (readonly [T, string])[];
  choose: (value: T) => void;
  className?: string;
}): ReactNode {
  const [focused, setFocused] = useState(false);
  const move = (event: React.KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = choices.findIndex(([one]) => one === value);
    const next = choices[(at + step + choices.length) % choices.length];
    if (!next) return;
    choose(next[0]);
    const buttons = event.currentTarget.querySelectorAll<HTMLElement>('[role="radio"]');
    buttons[choices.indexOf(next)]?.focus();
  };
  return (
    <div
      className={className}
      role="radiogroup"
      aria-label={label}
      onKeyDown={move}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      data-focused={focused}
    >
      {choices.map(([one, word]) => (
        <button
          type="button"
          key={one}
          role="radio"
          aria-checked={one === value}
          tabIndex={one === value ? 0 : -1}
          className={className === "choices" ? "choice" : undefined}
          onClick={() => choose(one)}
        >
          {word}
        </button>
      ))}
    </div>
  );
}
