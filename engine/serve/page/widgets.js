// The widgets of a view: what is shown beside the story, on pages and in forms.

import { create, createMarked, plainText, toneClass } from "./text.js";
import { createMap } from "./map.js";
import { word } from "./words.js";

function createGauge(widget) {
  const label = create("span", "label", plainText(widget.label));
  const meter = create("meter", toneClass(widget.tone));
  meter.max = Math.max(widget.max, 1);
  meter.value = widget.value;
  meter.setAttribute("aria-label", plainText(widget.label));
  const before = widget.before !== undefined && widget.before !== widget.value ? word(" (was {value})", { value: widget.before }) : "";
  return create("p", "gauge", label, meter, create("span", "", `${widget.value}/${widget.max}${before}`));
}

function createPips(widget) {
  const marks = "●".repeat(Math.max(0, Math.min(widget.value, 40))) +
    "○".repeat(Math.max(0, Math.min(widget.max - widget.value, 40)));
  const shown = create("span", "pips", marks);
  shown.setAttribute("aria-hidden", "true");
  return create("p", "", create("span", "label", plainText(widget.label)), shown,
    create("span", "", ` ${widget.value}/${widget.max}`));
}

export function createCard(card) {
  const element = create("div", "card", createMarked("h3", "", card.title));
  if (card.subtitle) element.append(createMarked("p", "quiet", card.subtitle));
  if (card.text) element.append(createMarked("p", "", card.text));
  for (const line of card.lines ?? []) element.append(createMarked("p", "line", line));
  return element;
}

function createList(widget) {
  const element = create("div", "list", createMarked("h3", "", widget.label));
  if (widget.items.length === 0) {
    if (widget.empty) element.append(createMarked("p", "quiet", widget.empty));
    return element;
  }
  const list = create("ul", "");
  for (const item of widget.items) {
    const line = createMarked("li", "", item.label);
    if (item.note) line.append(" ", createMarked("span", "quiet", item.note));
    list.append(line);
  }
  element.append(list);
  return element;
}

function createTable(widget) {
  const table = create("table", "", createMarked("caption", "", widget.label));
  const head = create("tr", "");
  for (const column of widget.columns) {
    const cell = createMarked(column === "" ? "td" : "th", "", column);
    if (column !== "") cell.scope = "col";
    head.append(cell);
  }
  if (widget.columns.some((column) => column !== "")) table.append(create("thead", "", head));
  const body = create("tbody", "");
  for (const row of widget.rows) {
    body.append(create("tr", "", ...row.map((cell) => createMarked("td", "", cell))));
  }
  table.append(body);
  return table;
}

/** A widget as an element; none for a form, which is part of the question. */
function createWidget(widget) {
  switch (widget.widget) {
    case "text": return createMarked("p", toneClass(widget.tone), widget.text);
    case "gauge": return createGauge(widget);
    case "meter": return createPips(widget);
    case "stat": {
      const note = widget.note ? createMarked("span", "quiet", ` ${widget.note}`) : null;
      return create("p", "stat", create("span", "label", plainText(widget.label)), String(widget.value), note);
    }
    case "list": return createList(widget);
    case "table": return createTable(widget);
    case "map": return createMap(widget, null);
    case "card": return createCard(widget);
    default: return null;
  }
}

/** The widgets of a view in some slots. */
export function createWidgets(view, slots) {
  const chosen = view.widgets.filter((widget) => slots.includes(widget.slot ?? "sheet"));
  return chosen.map(createWidget).filter((element) => element !== null);
}

/** Everything that can be examined, with its name. */
export function collectCards(prompt, view) {
  const cards = [];
  for (const choice of prompt.choices) {
    if (choice.card) cards.push({ choice: choice.id, card: choice.card });
  }
  for (const widget of view.widgets) {
    if (widget.widget === "card") cards.push({ card: widget });
    for (const item of widget.items ?? []) if (item.card) cards.push({ card: item.card });
  }
  return cards;
}
