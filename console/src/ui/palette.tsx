// Control or Cmd K: schedules whose name contains what was typed, then places.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useState } from "react";
import { Dialog as AriaDialog, Modal, ModalOverlay } from "react-aria-components";
import { client } from "../api/session.js";
import { Icon, Relative } from "./basics.js";
import { MAIN, OPERATE } from "./shell.js";

interface Hit {
  key: string;
  group: string;
  word: string;
  note?: ReactNode;
  go: () => void;
}

export function Palette({ close }: { close: () => void }): ReactNode {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const found = useQuery({
    queryKey: ["schedules", "palette", typed],
    queryFn: () => client().listSchedules({ q: typed || undefined, limit: 8, fields: ["id", "name", "nextRunAt"] }),
    placeholderData: (before) => before,
  });
  const hits: Hit[] = [
    ...(found.data?.items ?? []).map(
      (one): Hit => ({
        key: one.id,
        group: "Schedules",
        word: one.name,
        note: one.nextRunAt && <Relative at={one.nextRunAt} />,
        go: () => void navigate({ to: "/schedule/$name", params: { name: one.name }, search: {} }),
      }),
    ),
    ...[...MAIN, ...OPERATE]
      .filter((place) => place.word.toLowerCase().includes(typed.toLowerCase()))
      .map(
        (place): Hit => ({
          key: place.to,
          group: "Go to",
          word: place.word,
          go: () => void navigate({ to: place.to, search: {} }),
        }),
      ),
  ];
  const choose = (hit: Hit | undefined): void => {
    if (!hit) return;
    hit.go();
    close();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, hits.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") choose(hits[at]);
    else return;
    event.preventDefault();
  };
  return (
    <ModalOverlay
      className="layer"
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      <Modal className="palette">
        <AriaDialog aria-label="Search or jump">
          <div className="palette-in">
            <Icon name="search" />
            <input
              className="input"
              role="combobox"
              aria-expanded="true"
              aria-controls="hits"
              aria-label="Name of a schedule or a place"
              aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
              placeholder="Name of a schedule or a place"
              autoFocus
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setAt(0);
              }}
              onKeyDown={onKeyDown}
            />
            <kbd>esc</kbd>
          </div>
          <ul id="hits" role="listbox" aria-label="Results">
            {hits.map((hit, index) => [
              hit.group !== hits[index - 1]?.group && (
                <li className="group" role="presentation" key={hit.group}>
                  {hit.group}
                </li>
              ),
              <li
                key={hit.key}
                id={`hit-${index}`}
                role="option"
                aria-selected={index === at}
                className={index === at ? "active" : ""}
                onClick={() => choose(hit)}
                onPointerMove={() => setAt(index)}
              >
                {hit.word}
                <span className="r">{hit.note}</span>
              </li>,
            ])}
          </ul>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
