// The settings of the page: text size, colours, dice. The browser keeps them.

import { create } from "./text.js";
import { word } from "./words.js";

const settings = () => [
  { name: "size", label: word("Text size"), values: [["1", word("normal")], ["0.85", word("small")], ["1.2", word("large")], ["1.5", word("very large")]] },
  { name: "theme", label: word("Colours"), values: [["auto", word("as the system")], ["light", word("light")], ["dark", word("dark")], ["contrast", word("high contrast")]] },
  { name: "dice", label: word("Dice in the story"), values: [["shown", word("shown")], ["hidden", word("only in the log")]] },
  { name: "motion", label: word("Motion"), values: [["auto", word("as the system")], ["none", word("none")]] },
];

function read(name) {
  const setting = settings().find((one) => one.name === name);
  let value = null;
  try {
    value = localStorage.getItem(`sub-rosa-${name}`);
  } catch {
    // A browser may keep nothing.
  }
  return setting.values.some(([known]) => known === value) ? value : setting.values[0][0];
}

/** Applies what the browser has kept. */
export function applySettings() {
  const root = document.documentElement;
  root.style.setProperty("--size", read("size"));
  for (const name of ["theme", "dice", "motion"]) root.dataset[name] = read(name);
}

export function createSettings() {
  const rows = settings().map((setting) => {
    const select = create("select", "");
    select.id = `setting-${setting.name}`;
    for (const [value, text] of setting.values) {
      const option = create("option", "", text);
      option.value = value;
      option.selected = value === read(setting.name);
      select.append(option);
    }
    select.addEventListener("change", () => {
      try {
        localStorage.setItem(`sub-rosa-${setting.name}`, select.value);
      } catch {
        return;
      }
      applySettings();
    });
    const label = create("label", "", `${setting.label}: `);
    label.htmlFor = select.id;
    return create("p", "", label, select);
  });
  rows.push(create("p", "quiet", word("Players, mods and languages are in the settings of the title.")));
  return create("div", "", ...rows);
}
