// The theme of the reader: the system's, unless they chose one. `?theme=dark` chooses for one visit.
export type Theme = "system" | "light" | "dark";
const KEY = "belfry.theme";

export const theme = (): Theme => (localStorage.getItem(KEY) as Theme | null) ?? "system";

export function applyTheme(): void {
  const wanted = new URLSearchParams(location.search).get("theme") ?? theme();
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
  else delete document.documentElement.dataset.theme;
}

export function chooseTheme(next: Theme): void {
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  applyTheme();
}
