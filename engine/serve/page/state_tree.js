// The state of the run as a tree, with what the last step changed (`--dev`).

import { create } from "./text.js";
import { createTrace, findWriters } from "./step_trace.js";
import { word } from "./words.js";

const MAX_CHANGES = 200;
let previous = null;
let changed = new Map();
const opened = new Set(["game"]);

function isTable(value) {
  return value !== null && typeof value === "object";
}

function describe(value) {
  return value === undefined ? word("nothing") : JSON.stringify(value);
}

/** Collects the paths whose values differ, with the value before. */
function compare(before, now, path) {
  if (changed.size >= MAX_CHANGES) return;
  if (isTable(before) && isTable(now) && Array.isArray(before) === Array.isArray(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      compare(before[key], now[key], `${path}.${key}`);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(now)) {
    changed.set(path, before);
  }
}

/** A table opens when it is needed, so that a large state costs nothing. */
function createBranch(name, value, path) {
  if (!isTable(value)) {
    const line = create("p", changed.has(path) ? "now" : "", `${name} = ${describe(value)}`);
    if (changed.has(path)) line.append(create("span", "quiet", word(" (was {value})", { value: describe(changed.get(path)) })));
    return line;
  }
  const count = Object.keys(value).length;
  const hasChange = [...changed.keys()].some((one) => one === path || one.startsWith(`${path}.`));
  const branch = create("details", "", create("summary", hasChange ? "now" : "", `${name} (${count})`));
  const fill = () => {
    if (!branch.open || branch.childElementCount > 1) return;
    for (const [key, inner] of Object.entries(value)) branch.append(createBranch(key, inner, `${path}.${key}`));
  };
  branch.addEventListener("toggle", () => {
    if (branch.open) opened.add(path);
    else opened.delete(path);
    fill();
  });
  branch.open = opened.has(path);
  fill();
  return branch;
}

/** The tree of a state, after what the last step changed and did. */
export function createStateTree(state, trace) {
  changed = new Map();
  if (previous !== null) for (const key of Object.keys(state)) compare(previous[key], state[key], key);
  const isFirst = previous === null;
  previous = state;
  const lines = [...changed].map(([path, before]) => {
    const now = path.split(".").reduce((value, key) => value?.[key], state);
    return create("p", "", `${path}: `, create("span", "before", describe(before)), " → ",
      create("span", "now", describe(now)), ...findWriters(trace, path).map((place) => create("span", "quiet writer", ` ${place}`)));
  });
  if (lines.length === 0) lines.push(create("p", "quiet", isFirst ? word("This is the first question seen.") : word("Nothing.")));
  const tree = Object.entries(state).map(([name, value]) => createBranch(name, value, name));
  const done = trace.length > 0 ? [create("h3", "", word("What the step did")), createTrace(trace)] : [];
  return create("div", "changes", create("h3", "", word("Changed since the question before")), ...lines, ...done,
    create("h3", "", word("State")), ...tree);
}
