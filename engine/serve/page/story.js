// The story so far, and the log with all answers.

import { create, createMarked } from "./text.js";
import { createRoll } from "./dice.js";
import { word } from "./words.js";

const MAX_SHOWN = 400;
const pane = document.getElementById("story");
let entries = [];
let firstNew = null;
let pendingAnswer = null;

function createEvent(event) {
  switch (event.event) {
    case "heading": return createMarked("h2", "", event.text);
    case "note": return createMarked("p", "note", event.text);
    case "gain": return createMarked("p", "gain", event.text);
    case "loss": return createMarked("p", "loss", event.text);
    case "roll": return createRoll(event);
    default: return createMarked("p", "say", event.text ?? "");
  }
}

function createProblem(problem) {
  const element = create("div", `problem ${problem.severity === "warning" ? "warning" : "error"}`);
  element.append(create("pre", "", problem.text));
  return element;
}

function createEntry(entry) {
  if (entry.answer !== undefined) return create("p", "answer", entry.answer);
  return entry.problem ? createProblem(entry.problem) : createEvent(entry.event);
}

function show(entry) {
  const element = createEntry(entry);
  pane.append(element);
  firstNew ??= element;
  while (pane.childElementCount > MAX_SHOWN) pane.firstElementChild.remove();
}

/** Begins a story; what is past is not announced. */
export function beginStory(past) {
  entries = [...past];
  pane.setAttribute("aria-live", "off");
  pane.replaceChildren();
  firstNew = null;
  pendingAnswer = null;
  entries.slice(-MAX_SHOWN).forEach(show);
  firstNew = null;
  setTimeout(() => pane.setAttribute("aria-live", "polite"), 200);
}

export function addEvents(events) {
  if (pendingAnswer !== null) addEntry({ answer: pendingAnswer });
  pendingAnswer = null;
  for (const event of events) addEntry({ event });
}

export function addProblem(problem) {
  addEntry({ problem });
}

/** An answer is told only when something happens. */
export function setPendingAnswer(answer) {
  pendingAnswer = answer || null;
  firstNew = null;
}

function addEntry(entry) {
  entries.push(entry);
  show(entry);
}

/** Scrolls so that reading goes on where the new text begins. */
export function showNewText() {
  const top = firstNew ? firstNew.offsetTop - pane.offsetTop - 8 : pane.scrollHeight;
  pane.scrollTop = Math.min(top, pane.scrollHeight);
  if (pane.scrollHeight <= pane.clientHeight && firstNew) firstNew.scrollIntoView?.({ block: "nearest" });
  firstNew = null;
}

/** Whether new text is below the pane's end. */
export function hasUnread() {
  return pane.scrollTop + pane.clientHeight < pane.scrollHeight - 8;
}

/** Scrolls by pages. */
export function scrollPages(pages) {
  pane.scrollTop += pages * pane.clientHeight * 0.85;
}

/** The whole log with a search. */
export function createLog() {
  const list = create("div", "log");
  const elements = entries.map((entry) => createEntry(entry));
  list.append(...elements);
  const field = create("input", "");
  field.type = "search";
  field.id = "log-search";
  const label = create("label", "", `${word("search")}: `);
  label.htmlFor = field.id;
  const count = create("span", "quiet", "");
  count.setAttribute("role", "status");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let found = 0;
    for (const element of elements) {
      const matches = element.textContent.toLowerCase().includes(wanted);
      element.hidden = !matches;
      found += matches ? 1 : 0;
    }
    count.textContent = wanted ? ` ${word("{count} found", { count: found })}` : "";
  });
  return { content: create("div", "", create("p", "", label, field, count), list), field };
}
