// Runs of bots beside the game (`--dev`): `explore` and `simulate`, started and stopped here.

import { create, createButton } from "./text.js";
import { getJson, postJson } from "./connection.js";
import { createExploration } from "./exploration.js";
import { createSimulation } from "./simulation.js";
import { word } from "./words.js";

const INTERVAL_MS = 700;

const panel = create("section", "work");
const status = create("p", "");
const results = create("div", "changes");
let presentMessage = () => null;
let shownText = "";
let isAsking = false;

function createField(id, label, value) {
  const field = create("input", "field");
  field.id = id;
  field.value = value;
  field.autocomplete = "off";
  // Its keys are no keys of the game.
  field.addEventListener("keydown", (event) => event.key !== "Escape" && event.stopPropagation());
  const name = create("label", "", `${label} `);
  name.htmlFor = id;
  return { field, line: create("p", "", name, field) };
}

/** Shows what there is; returns whether more will come. */
function show(state) {
  const text = JSON.stringify(state);
  if (state === null || text === shownText) return state !== null && !state.is_over;
  shownText = text;
  const { is_over: isOver, problem, results: found } = state;
  if (found) {
    status.textContent = isOver ? word("{runs} of {planned} runs, ended", found) : word("{runs} of {planned} runs", found);
    const open = [...results.querySelectorAll("details")].map((one) => one.open);
    const focused = [...results.querySelectorAll("summary, button")].indexOf(document.activeElement);
    results.replaceChildren(found.kind === "explore" ? createExploration(found, presentMessage()) : createSimulation(found));
    results.querySelectorAll("details").forEach((one, at) => { one.open = open[at] ?? false; });
    if (focused >= 0) results.querySelectorAll("summary, button")[focused]?.focus({ preventScroll: true });
  } else {
    status.textContent = isOver ? "" : word("The game is loaded.");
  }
  if (problem) results.append(create("pre", "problem-line", problem));
  return !isOver;
}

/** Asks for results until the work has ended. */
async function follow() {
  if (isAsking) return;
  isAsking = true;
  try {
    while (show(await getJson("/work"))) await new Promise((resolve) => { setTimeout(resolve, INTERVAL_MS); });
  } catch {
    status.textContent = word("The program does not answer.");
  }
  isAsking = false;
}

async function start(request) {
  const refusal = await postJson("/work", request).then((response) => response.ok ? "" : response.text(),
    () => word("The program does not answer."));
  status.textContent = refusal;
  if (refusal) return;
  results.replaceChildren();
  shownText = "";
  void follow();
}

function fillPanel() {
  const runs = createField("work-runs", word("Runs"), "200");
  runs.field.inputMode = "numeric";
  const bot = createField("work-bot", word("Bot (empty: the first one)"), "");
  const set = createField("work-set", word("Options, such as heat=1..3"), "");
  const count = () => Math.max(1, Number.parseInt(runs.field.value, 10) || 1);
  const simulate = () => start({ simulate: {
    runs: count(), bot: bot.field.value.trim(), set: set.field.value.split(/\s+/).filter((one) => one !== "") } });
  status.setAttribute("role", "status");
  panel.replaceChildren(create("h3", "", word("Runs of bots")), runs.line, bot.line, set.line,
    create("p", "", createButton("", () => start({ explore: { runs: count() } }), word("Explore")), " ",
      createButton("", simulate, word("Simulate")), " ",
      createButton("", () => void postJson("/work/stop", {}), word("Stop"))), status, results);
}

/** The part for runs of bots; `getMessage` gives the present question. It stays empty where the program has no bots. */
export function createWork(getMessage) {
  presentMessage = getMessage;
  getJson("/work").then((state) => {
    fillPanel();
    if (show(state)) void follow();
  }, () => panel.replaceChildren());
  return panel;
}
