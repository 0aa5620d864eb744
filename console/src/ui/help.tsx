import type { ReactNode } from "react";
import { useState } from "react";
import { Choices, Dialog } from "./overlays.js";
import { SHORTCUTS, setSingleKeys, singleKeysOn } from "./shortcuts.js";
import { chooseTheme, theme } from "./theme.js";

export function Help({ close }: { close: () => void }): ReactNode {
  const [on, setOn] = useState(singleKeysOn());
  const [look, setLook] = useState(theme());
  return (
    <Dialog
      title="Keyboard shortcuts"
      close={close}
      footer={
        <label className="row">
          <input
            type="checkbox"
            className="check"
            checked={on}
            onChange={(event) => {
              setSingleKeys(event.target.checked);
              setOn(event.target.checked);
            }}
          />
          Single keys are on
        </label>
      }
    >
      <dl className="help-grid">
        {SHORTCUTS.map(([keys, what]) => [
          <dt key={what}>{what}</dt>,
          <dd key={keys}>
            {keys
              .split(" ")
              .filter(Boolean)
              .map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
          </dd>,
        ])}
      </dl>
      <div className="field">
        <span className="label">Theme</span>
        <Choices
          label="Theme"
          value={look}
          choices={[
            ["system", "System"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
          choose={(next) => {
            chooseTheme(next);
            setLook(next);
          }}
        />
      </div>
    </Dialog>
  );
}
