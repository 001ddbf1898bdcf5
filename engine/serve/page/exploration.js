// What `explore` has reached so far, beside what it has not: places, questions, choices.

import { create, createButton, plainText } from "./text.js";
import { openDialog } from "./dialog.js";
import { createMap, findMap } from "./map.js";
import { word } from "./words.js";

const MAX_LISTED = 200;
/** More places beside each other cannot be read in a dialog. */
const MAX_COLUMNS = 6;

function createList(name, lines) {
  if (lines.length === 0) return null;
  const list = create("ul", "", ...lines.slice(0, MAX_LISTED).map((line) => create("li", "", line)));
  if (lines.length > MAX_LISTED) list.append(create("li", "quiet", "…"));
  return create("details", "", create("summary", "", `${name} (${lines.length})`), list);
}

/** A button for the map of the present place, with all places that runs have seen on it. */
function createReachedMap(results, view) {
  const shown = view && findMap(view);
  const label = shown?.label ?? results.places[0]?.map;
  const places = results.places.filter((place) => place.map === label);
  if (places.length === 0) return [];
  const here = new Map((shown?.nodes ?? []).map((node) => [node.id, node]));
  const nodes = places.map((place) => ({
    ...place, label: here.get(place.id)?.label || place.label, here: here.get(place.id)?.here, visited: place.entered > 0,
    note: word("entered in {entered} of {runs} runs", { entered: place.entered, runs: results.runs }),
  }));
  nodes.push(...[...here.values()].filter((node) => !places.some((place) => place.id === node.id))
    .map((node) => ({ ...node, visited: false, note: word("never seen") })));
  const edges = results.ways.filter(([map]) => map === label).map(([, from, to]) => ({ from, to }));
  const never = nodes.filter((node) => !node.visited).map((node) => plainText(node.label) || node.id);
  const show = () => openDialog(plainText(label),
    createMap({ label, nodes, edges }, null, { isListed: true, maxColumns: MAX_COLUMNS }));
  return [create("p", "", createButton("", show, word("The map of what was reached"))), createList(word("Places never entered"), never)];
}

/** How often runs took each choice of a question. */
function createChoices(results, prompt) {
  const counts = results.choices.filter((choice) => choice.scene === prompt.scene);
  return create("ul", "", ...prompt.choices.map((choice) => {
    const { offered, taken } = counts.find((one) => one.id === choice.id) ?? { offered: 0, taken: 0 };
    return create("li", taken > 0 ? "now" : "before", `${plainText(choice.label)}: `,
      word("taken {taken} times of {offered}", { taken, offered }));
  }));
}

/** The results so far, with those of a question first. */
export function createExploration(results, message) {
  const outcomes = Object.entries(results.outcomes).map(([name, count]) => `${count} ${name}`).join(", ");
  const untaken = results.choices.filter((choice) => choice.taken === 0).map(({ scene, id }) => `${scene}: ${id}`);
  const present = message && !message.prompt.scene.startsWith("host:")
    ? [create("h3", "", word("This question")), createChoices(results, message.prompt)] : [];
  return create("div", "exploration", create("p", "", outcomes),
    ...Object.entries(results.problems).map(([text, runs]) =>
      create("pre", "problem-line", `${word("{runs} runs", { runs })}: ${text}`)),
    ...present, ...createReachedMap(results, message?.view),
    create("p", "", word("{asked} of {all} scenes were asked.", {
      asked: results.scenes.length, all: results.scenes.length + results.never_asked.length })),
    createList(word("Scenes never asked"), results.never_asked),
    createList(word("Choices offered but never taken"), untaken),
    createList(word("Scenes asked"), results.scenes));
}
