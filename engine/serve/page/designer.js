// The designer's side (`--dev`): what a save changed in the question and the view, and `why`.

import { create, createButton, plainText } from "./text.js";
import { oddsText } from "./dice.js";
import { createStateTree } from "./state_tree.js";
import { askWhy } from "./connection.js";
import { createWork } from "./work.js";
import { word } from "./words.js";

const aside = document.getElementById("designer");
const changes = create("div", "changes");
const stateTree = create("div", "state-tree");
let lastPrompt = null;
let hasAnswered = true;
let reloadNotes = [];
let askAbout = null;

export function noteAnswer() {
  hasAnswered = true;
}

/** A widget in words, with one line for each fact. */
function widgetLines(widget) {
  const name = `${widget.widget} ${plainText(widget.label ?? widget.title ?? "")}`.trim();
  const facts = Object.entries(widget).filter(([key]) => !["widget", "label", "slot"].includes(key));
  return facts.flatMap(([key, value]) => Array.isArray(value)
    ? value.map((item, at) => `${name}, ${key} ${at + 1}: ${describe(item)}`)
    : [`${name}, ${key}: ${describe(value)}`]);
}

function describe(value) {
  return typeof value === "string" ? plainText(value) : JSON.stringify(value);
}

function choiceFacts(choice) {
  const facts = new Map();
  for (const [key, value] of Object.entries(choice)) {
    if (key === "id") continue;
    facts.set(key, key === "odds" ? oddsText(value) : describe(value));
  }
  return facts;
}

/** Facts of a prompt and its view by their names. */
function collectFacts({ prompt, view }) {
  const facts = new Map([["question", plainText(prompt.text)], ["scene", prompt.scene], ["place", plainText(view.title)]]);
  for (const choice of prompt.choices) {
    facts.set(`choice ${choice.id}`, plainText(choice.label));
    for (const [key, value] of choiceFacts(choice)) facts.set(`choice ${choice.id}: ${key}`, value);
  }
  view.widgets.flatMap(widgetLines).forEach((line) => {
    const at = line.indexOf(": ");
    facts.set(line.slice(0, at), line.slice(at + 2));
  });
  return facts;
}

function createDifference(before, after) {
  const table = create("table", "", create("caption", "", word("Question and view")));
  table.append(create("tr", "", ...[word("what"), word("before"), word("now")].map((name) => create("th", "", name))));
  const names = new Set([...before.keys(), ...after.keys()]);
  for (const name of names) {
    const [then, now] = [before.get(name) ?? "", after.get(name) ?? ""];
    if (then === now) continue;
    table.append(create("tr", "", create("td", "", name), create("td", "before", then), create("td", "now", now)));
  }
  return table.rows.length > 1 ? table : null;
}

/** Notes what comes between two questions; what comes without an answer is of a reload. */
export function noteMessage(message, isDev) {
  if (!isDev) return;
  if (message.type === "state") {
    stateTree.replaceChildren(createStateTree(message.state, message.trace));
  } else if (message.type === "events" && !hasAnswered) {
    reloadNotes.push(...message.events.map((event) => create("p", "", plainText(event.text ?? ""))));
  } else if (message.type === "problem") {
    const { place, code, text } = message.problem;
    reloadNotes.push(create("p", "problem-line", `${code}${place ? ` at ${place}` : ""}`), create("pre", "", text));
  } else if (message.type === "prompt") {
    const difference = !hasAnswered && lastPrompt
      ? createDifference(collectFacts(lastPrompt), collectFacts(message)) : null;
    // A save may be noticed twice; the second time nothing has changed.
    if (difference || reloadNotes.length > 0) {
      const same = create("p", "quiet", word("The question and the view are the same."));
      changes.replaceChildren(create("h3", "", word("Changed at {time}", { time: new Date().toLocaleTimeString() })),
        ...reloadNotes, difference ?? same);
      if (message.stale_reason) changes.prepend(create("p", "problem-line", message.stale_reason));
    }
    reloadNotes = [];
    hasAnswered = false;
    lastPrompt = message;
  }
}

/** Shows or hides the designer's side; in another language it is made anew. */
export function showDesigner(isDev, isNewLanguage = false) {
  aside.hidden = !isDev;
  if (!isDev) askAbout = null;
  if (!isDev || (aside.childElementCount > 0 && !isNewLanguage)) return;
  const field = create("input", "field");
  field.type = "search";
  field.id = "why-field";
  const label = create("label", "", `${word("Where does it come from? An id, a kind, an event, or words of a text")}: `);
  label.htmlFor = field.id;
  const result = create("pre", "why");
  result.setAttribute("role", "status");
  result.tabIndex = 0;
  const ask = async (words) => {
    field.value = words;
    result.textContent = "…";
    result.textContent = await askWhy(words);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && field.value.trim()) void ask(field.value.trim());
  });
  const scene = createButton("command", () => lastPrompt && void ask(lastPrompt.prompt.scene), word("Why this scene"));
  aside.replaceChildren(create("h2", "", word("Designer")),
    create("p", "", word("Save a file of the game: what it changes is shown here.")), changes,
    create("p", "", label, field, " ", scene), result, stateTree,
    createWork(() => lastPrompt));
  askAbout = ask;
}

document.getElementById("question").addEventListener("contextmenu", (event) => {
  const label = event.target.closest("[data-id]")?.querySelector(".label");
  if (!label || !askAbout) return;
  event.preventDefault();
  void askAbout(label.textContent);
});
