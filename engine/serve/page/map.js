// The map: a drawing, and the same as a list of places with buttons to travel.

import { create, createButton, plainText } from "./text.js";
import { createPicture, createSvg } from "./svg.js";
import { word } from "./words.js";

const COLUMN = 150;
const ROW = 74;

/** Positions: the game's own, or layers by distance from the first place; a wide layer takes several rows. */
function findPositions(nodes, edges, maxColumns) {
  if (nodes.length > 0 && nodes.every((node) => node.position)) {
    const columns = [...new Set(nodes.map((node) => node.position[0]))].sort((a, b) => a - b);
    const rows = [...new Set(nodes.map((node) => node.position[1]))].sort((a, b) => a - b);
    return new Map(nodes.map((node) =>
      [node.id, [columns.indexOf(node.position[0]), rows.indexOf(node.position[1])]]));
  }
  const neighbours = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) {
    neighbours.get(edge.from)?.push(edge.to);
    neighbours.get(edge.to)?.push(edge.from);
  }
  const positions = new Map(), widths = [];
  for (const start of nodes) {
    if (positions.has(start.id)) continue;
    let layer = [start.id], depth = 0;
    positions.set(start.id, null);
    while (layer.length > 0) {
      const next = [];
      for (const id of layer) {
        widths[depth] = (widths[depth] ?? 0) + 1;
        positions.set(id, [widths[depth] - 1, depth]);
        for (const other of neighbours.get(id) ?? []) {
          if (neighbours.has(other) && !positions.has(other)) {
            positions.set(other, null);
            next.push(other);
          }
        }
      }
      layer = next;
      depth += 1;
    }
  }
  const firstRows = [0];
  widths.forEach((width, depth) => { firstRows[depth + 1] = firstRows[depth] + Math.max(1, Math.ceil(width / maxColumns)); });
  return new Map([...positions].map(([id, [at, depth]]) =>
    [id, [at % maxColumns, firstRows[depth] + Math.floor(at / maxColumns)]]));
}

/** A name in lines that fit a column. */
function wrapName(name) {
  const lines = [""];
  for (const word of name.split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length + 1 > 20) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.length > 2 ? [lines[0], `${lines[1]}…`] : lines;
}

function placeState(node) {
  if (node.here) return word("You are here");
  return node.visited ? word("entered") : word("not entered");
}

function drawMap(widget, maxColumns) {
  const positions = findPositions(widget.nodes, widget.edges, maxColumns);
  const columns = Math.max(1, ...[...positions.values()].map(([column]) => column + 1));
  const rows = Math.max(1, ...[...positions.values()].map(([, row]) => row + 1));
  const svg = createPicture("map", columns * COLUMN, rows * ROW, word("{map}: the places are listed below", { map: plainText(widget.label) }));
  svg.style.maxWidth = `${columns * COLUMN}px`;
  const center = (id) => {
    const [column, row] = positions.get(id);
    return [column * COLUMN + COLUMN / 2, row * ROW + 18];
  };
  for (const edge of widget.edges) {
    if (!positions.has(edge.from) || !positions.has(edge.to)) continue;
    const [x1, y1] = center(edge.from), [x2, y2] = center(edge.to);
    svg.append(createSvg("line", { x1, y1, x2, y2, class: "way" }));
  }
  for (const node of widget.nodes) {
    const [x, y] = center(node.id);
    const state = node.here ? "here" : node.visited ? "visited" : "unvisited";
    svg.append(createSvg("circle", { cx: x, cy: y, r: 12, class: `place ${state}` }));
    const symbol = node.symbol || (node.here ? "@" : node.visited ? "o" : "?");
    svg.append(createSvg("text", { x, y: y + 5, class: `symbol ${state}` }, symbol));
    wrapName(plainText(node.label)).forEach((line, at) =>
      svg.append(createSvg("text", { x, y: y + 27 + at * 13, class: "place-name" }, line)));
  }
  return svg;
}

/** A map; with `travel` its places have buttons, with `isListed` they are listed for all to see. */
export function createMap(widget, travel, { isListed = false, maxColumns = Infinity } = {}) {
  const element = create("div", "map-widget", create("h3", "", plainText(widget.label)), drawMap(widget, maxColumns));
  const list = create("ul", travel || isListed ? "places" : "places visually-hidden");
  for (const node of widget.nodes) {
    const note = node.note ? `, ${plainText(node.note)}` : "";
    const text = `${plainText(node.label) || "?"} (${placeState(node)}${note})`;
    if (travel && !node.here) {
      list.append(create("li", "", createButton("", () => travel(node.id), word("Travel to {place}", { place: text }))));
    } else {
      list.append(create("li", "", text));
    }
  }
  element.append(list);
  return element;
}

/** The first map of a view. */
export function findMap(view) {
  return view.widgets.find((widget) => widget.widget === "map");
}
