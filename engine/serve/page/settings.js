// The settings of the page: text size, colours, dice. The browser keeps them.

import { create } from "./text.js";

const SETTINGS = [
  { name: "size", label: "Text size", values: [["1", "normal"], ["0.85", "small"], ["1.2", "large"], ["1.5", "very large"]] },
  { name: "theme", label: "Colours", values: [["auto", "as the system"], ["light", "light"], ["dark", "dark"], ["contrast", "high contrast"]] },
  { name: "dice", label: "Dice in the story", values: [["shown", "shown"], ["hidden", "only in the log"]] },
  { name: "motion", label: "Motion", values: [["auto", "as the system"], ["none", "none"]] },
];

function read(name) {
  const setting = SETTINGS.find((one) => one.name === name);
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
  const rows = SETTINGS.map((setting) => {
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
  rows.push(create("p", "quiet", "Players, mods and languages are in the settings of the title."));
  return create("div", "", ...rows);
}
