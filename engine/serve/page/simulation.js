// The report of a simulation, as it is so far: shares with their intervals, curves and histograms.

import { create } from "./text.js";
import { createPicture, createSvg } from "./svg.js";
import { word } from "./words.js";

const WIDTH = 480;
const CURVE_HEIGHT = 150;
const HISTOGRAM_HEIGHT = 80;
const MAX_CURVES = 6;

function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}

function createShares(outcomes) {
  const table = create("table", "", create("tr", "", ...[word("outcome"), word("runs"), word("share"), word("interval (95%)")]
    .map((name) => create("th", "", name))));
  for (const [at, [name, { count, share, interval }]] of Object.entries(outcomes).entries()) {
    table.append(create("tr", "", create("td", at < MAX_CURVES ? `curve-name curve-${at}` : "", name), create("td", "", String(count)),
      create("td", "", percent(share)), create("td", "", interval.map(percent).join(" – "))));
  }
  return table;
}

/** The share of each outcome after so many runs, with its interval as a band. */
function createCurves(curves, runs) {
  const picture = createPicture("curves", WIDTH, CURVE_HEIGHT, word("Shares after so many runs"));
  const [left, bottom] = [40, CURVE_HEIGHT - 18];
  const x = (count) => (left + (count / Math.max(runs, 1)) * (WIDTH - left - 4)).toFixed(1);
  const y = (share) => (bottom - share * (bottom - 8)).toFixed(1);
  for (const share of [0, 0.5, 1]) {
    picture.append(createSvg("line", { x1: left, x2: WIDTH, y1: y(share), y2: y(share), class: "axis" }),
      createSvg("text", { x: 0, y: Number(y(share)) + 4 }, percent(share)));
  }
  Object.values(curves).slice(0, MAX_CURVES).forEach((points, at) => {
    const line = (value) => points.map((point) => `${x(point.runs)},${y(value(point.share))}`);
    const band = [...line((share) => share.interval[1]), ...line((share) => share.interval[0]).reverse()];
    picture.append(createSvg("polygon", { points: band.join(" "), class: `band-area curve-${at}` }),
      createSvg("polyline", { points: line((share) => share.share).join(" "), class: `curve curve-${at}` }));
  });
  picture.append(createSvg("text", { x: WIDTH, y: CURVE_HEIGHT - 4, "text-anchor": "end" }, word("{runs} runs", { runs })));
  return picture;
}

function createHistogram(name, distribution) {
  const { mean, quantiles: [least, tenth, median, ninetieth, most], parts } = distribution;
  const picture = createPicture("histogram", WIDTH, HISTOGRAM_HEIGHT, word("Histogram of {name}", { name }));
  const [tallest, width, bottom] = [Math.max(1, ...parts), WIDTH / Math.max(1, parts.length), HISTOGRAM_HEIGHT - 16];
  parts.forEach((count, at) => {
    const height = (count / tallest) * (bottom - 4);
    picture.append(createSvg("rect", { x: at * width, y: bottom - height, width: Math.max(width - 1, 1), height },
      createSvg("title", {}, word("{runs} runs", { runs: count }))));
  });
  picture.append(createSvg("text", { x: 0, y: HISTOGRAM_HEIGHT - 3 }, String(least)),
    createSvg("text", { x: WIDTH, y: HISTOGRAM_HEIGHT - 3, "text-anchor": "end" }, String(most)));
  const words = word("Mean {mean}, median {median}; 10% {tenth}, 90% {ninetieth}", { mean: mean.toFixed(1), median, tenth, ninetieth });
  return create("div", "", create("h4", "", name), create("p", "", words), picture);
}

/** The whole report so far. */
export function createSimulation({ groups }) {
  return create("div", "simulation", ...groups.flatMap(({ label, result, curves }) => [
    create("h3", "", `${label || word("All runs")}: ${word("{runs} runs", { runs: result.runs })}`),
    ...(result.runs > 0 ? [createShares(result.outcomes), createCurves(curves, result.runs)] : []),
    ...Object.entries(result.numbers).map(([name, distribution]) => createHistogram(name, distribution)),
    ...(result.problems ?? []).map(({ runs, seed, problem }) => create("pre", "problem-line",
      `${word("{runs} runs, first with seed {seed}", { runs, seed })}: ${problem.message ?? ""}`)),
  ]));
}
