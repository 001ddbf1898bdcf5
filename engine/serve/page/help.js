// The help: which keys do what, and the terms that the game explains.

import { create, createKey } from "./text.js";
import { word } from "./words.js";

const meanings = () => ({
  up: word("up"), down: word("down"), left: word("left"),
  right: word("right"), first: word("first"), last: word("last"),
  take: word("read on, or else take the focused choice"), mark: word("read on; mark one of several"),
  examine: word("examine"), sheet: word("sheet"), map: word("map"), explore: word("travel to the nearest unvisited place"),
  log: word("log"), search: word("search the log"), page_up: word("scroll the story back"),
  page_down: word("scroll the story on"), help: word("this help; again: the terms"), close: word("back"),
  undo: word("undo the last answer (practice only)"), leave: word("to the title; the run is saved"),
  reload: word("read the mods again (--dev)"), console: word("the console (--dev)"),
});

export function createHelp(keymap) {
  const table = create("table", "", create("caption", "", word("Keys")));
  table.append(create("tr", "", create("td", "", word("the sign before a choice")), create("td", "", word("takes it, or opens its menu"))));
  for (const [action, meaning] of Object.entries(meanings())) {
    const keys = keymap.actions[action] ?? [];
    if (keys.length === 0 || (["reload", "console"].includes(action) && !keymap.is_dev)) continue;
    const cell = create("td", "");
    keys.forEach((key) => cell.append(createKey(key), " "));
    table.append(create("tr", "", cell, create("td", "", meaning)));
  }
  return table;
}

export function createTerms(terms) {
  if (terms.length === 0) return create("p", "", word("This game explains no terms."));
  const list = create("dl", "");
  for (const term of terms) list.append(create("dt", "", term.names), create("dd", "", term.meaning));
  return list;
}
