// The zone: searched by the server, which knows newer zones than the browser, with the time there now.
import { useQuery } from "@tanstack/react-query";
import type { Timezone } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { client } from "../api/session.js";
import { day } from "../text/time.js";
import { Icon } from "../ui/basics.js";

function changeText(zone: Timezone): string {
  if (!zone.nextTransition) return `UTC${zone.offset} · no clock changes`;
  const at = new Date(zone.nextTransition.at);
  return `UTC${zone.offset} · clocks change on ${day(at, zone.name)} to ${zone.nextTransition.abbreviation}`;
}

export function ZoneBox({
  value,
  choose,
  error,
}: {
  value: string;
  choose: (zone: string) => void;
  error?: string;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const wanted = typed === value ? "" : typed;
  const { data } = useQuery({
    queryKey: ["zones", wanted],
    queryFn: () => client().listTimezones({ query: wanted || undefined, limit: 30 }),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  return (
    <ComboBox
      className="field"
      inputValue={typed}
      onInputChange={setTyped}
      selectedKey={value}
      items={data?.items ?? []}
      allowsEmptyCollection
      menuTrigger="focus"
      isInvalid={error !== undefined}
      onSelectionChange={(key) => {
        if (key) {
          choose(String(key));
          setTyped(String(key));
        }
      }}
      onBlur={() => setTyped(value)}
    >
      <Label className="label">Zone</Label>
      <div className="with-icon">
        <Icon name="globe" />
        <Input className="input" />
        <Button className="sr" aria-label="Show zones">
          open
        </Button>
      </div>
      {error && (
        <p className="error">
          <Icon name="warn" className="i i-12" />
          <span>{error}</span>
        </p>
      )}
      <Popover className="popover" style={{ width: "var(--trigger-width)", minWidth: 280 }}>
        <ListBox
          className="listbox zones"
          renderEmptyState={() => (
            <p className="hint" style={{ padding: 8 }}>
              No zone has this name.
            </p>
          )}
        >
          {(zone: Timezone) => (
            <ListBoxItem className="option" id={zone.name} key={zone.name} textValue={zone.name}>
              <span>{zone.name}</span>
              <span className="r">
                {zone.localTime.slice(11, 16)} {zone.abbreviation}
              </span>
              <span className="d">{changeText(zone)}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
