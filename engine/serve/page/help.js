// The help: which keys do what, and the terms that the game explains.

import { create, createKey } from "./text.js";

const MEANINGS = {
  up: "focus the choice above", down: "focus the choice below", left: "the choice before",
  right: "the choice after", first: "the first choice", last: "the last choice",
  take: "read on, or else take the focused choice", mark: "read on; mark one of several",
  examine: "examine", sheet: "the sheet", map: "the map", explore: "travel to the nearest place not entered",
  log: "the whole story", search: "search it", page_up: "scroll the story back",
  page_down: "scroll the story on", help: "this help; again: the terms", close: "back",
  undo: "undo the last answer (practice only)", leave: "to the title; the run is saved",
  reload: "read the mods again (--dev)", console: "the console (--dev)",
};

export function createHelp(keymap) {
  const table = create("table", "", create("caption", "", "Keys"));
  table.append(create("tr", "", create("td", "", "the sign before a choice"), create("td", "", "takes it, or opens its menu")));
  for (const [action, meaning] of Object.entries(MEANINGS)) {
    const keys = keymap.actions[action] ?? [];
    if (keys.length === 0 || (["reload", "console"].includes(action) && !keymap.is_dev)) continue;
    const cell = create("td", "");
    keys.forEach((key) => cell.append(createKey(key), " "));
    table.append(create("tr", "", cell, create("td", "", meaning)));
  }
  return table;
}

export function createTerms(terms) {
  if (terms.length === 0) return create("p", "", "This game explains no terms.");
  const list = create("dl", "");
  for (const term of terms) list.append(create("dt", "", term.names), create("dd", "", term.meaning));
  return list;
}
