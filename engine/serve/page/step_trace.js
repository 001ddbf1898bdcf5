// What the last step did (`--dev`): its events, the hooks on them and its writes, in order.

import { create } from "./text.js";
import { word } from "./words.js";

/** The path of a write as the tree of the state has it, where lists count from 0. */
function treePath(keys) {
  return ["game", ...keys.map((key) => typeof key === "number" ? key - 1 : key)].join(".");
}

/** The places that wrote what is at a path, or what it is in, or what is in it. */
export function findWriters(trace, path) {
  const writes = trace.filter((entry) => entry.kind === "write")
    .map((entry) => ({ at: treePath(entry.path), place: entry.place }));
  const own = writes.filter(({ at }) =>
    at === path || path.startsWith(`${at}.`) || at.startsWith(`${path}.`));
  // What is put into a list moves the entries behind it.
  const moving = () => writes.filter(({ at }) => /\.\d+$/.test(at) && path.startsWith(at.replace(/\d+$/, "")));
  return [...new Set((own.length > 0 ? own : moving()).map(({ place }) => place))];
}

function describeEntry(entry) {
  switch (entry.kind) {
    case "event": return [create("strong", "", entry.name), word(" is emitted at {place}", entry)];
    case "before": return [`${word("before hook {place}", entry)}: `, ...describeChanges(entry.changes)];
    case "after": return [word("after hook {place}", entry)];
    default: return [word("{path} is written at {place}", { path: treePath(entry.path), place: entry.place })];
  }
}

function describeChanges(changes) {
  if (changes.length === 0) return [word("changes nothing")];
  return changes.flatMap(({ field, before, now }, at) => [
    `${at > 0 ? "; " : ""}${field} `, create("span", "before", before || word("nothing")), " → ",
    create("span", "now", now || word("nothing")),
  ]);
}

/** Whether a hook did nothing that is seen: it changed no field, and nothing is inside it. */
function isIdle(entry, next) {
  return entry.kind === "before" ? entry.changes.length === 0
    : entry.kind === "after" && !(next?.depth > entry.depth);
}

/** Idle hooks one after another become one line that opens. */
function addIdleHook(list, entry) {
  let line = list.lastElementChild;
  if (!line?.classList.contains("idle")) {
    line = create("li", "idle", create("details", "", create("summary", ""), create("ul", "")));
    list.append(line);
  }
  const inner = line.querySelector("ul");
  inner.append(create("li", "", ...describeEntry(entry)));
  line.querySelector("summary").textContent = word("{count} hooks change nothing", { count: inner.childElementCount });
}

/** The entries as nested lists; what happens within an event or a hook is inside it. */
export function createTrace(trace) {
  const lists = [create("ul", "trace")];
  for (const [at, entry] of trace.entries()) {
    while (lists.length > entry.depth + 1) lists.pop();
    if (lists.length <= entry.depth && lists[lists.length - 1].lastElementChild) {
      const inner = create("ul", "");
      lists[lists.length - 1].lastElementChild.append(inner);
      lists.push(inner);
    }
    const list = lists[lists.length - 1];
    if (isIdle(entry, trace[at + 1])) addIdleHook(list, entry);
    else list.append(create("li", "", ...describeEntry(entry)));
  }
  return lists[0];
}
