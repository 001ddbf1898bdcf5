// Rolls and odds, in words and as marks.

import { create, createMarked, plainText, toneClass } from "./text.js";
import { word } from "./words.js";

function diceNodes(dice, notation, total) {
  const nodes = [create("span", "notation", notation.replace(/^1d/, "d"))];
  for (const die of dice) {
    nodes.push(" ", create(die.kept === false ? "s" : "span", "die", String(die.face)));
  }
  const isPlain = dice.length === 1 && dice[0].face === total;
  if (!isPlain) nodes.push(` = ${total}`);
  return nodes;
}

/** A roll with all its parts. */
export function createRoll(roll) {
  const line = create("p", "roll");
  if (roll.label) line.append(`${plainText(roll.label)}: `);
  line.append(...diceNodes(roll.dice, plainText(roll.notation), roll.dice_total));
  for (const modifier of roll.modifiers ?? []) {
    line.append(` ${modifier.value < 0 ? "−" : "+"} ${plainText(modifier.label)} ${Math.abs(modifier.value)}`);
  }
  for (const added of roll.added ?? []) {
    line.append(` ${added.total < 0 ? "−" : "+"} ${plainText(added.label ?? "")} `,
      ...diceNodes(added.dice, plainText(added.notation), Math.abs(added.total)));
  }
  if ((roll.modifiers ?? []).length + (roll.added ?? []).length > 0) line.append(` = ${roll.total}`);
  if (roll.against !== undefined) {
    const target = { target: roll.against };
    line.append(roll.under ? word(" against {target} or under", target) : word(" against {target}", target));
  }
  if (roll.outcome) line.append(": ", createMarked("strong", "", roll.outcome));
  if (roll.open) line.append(word(", so far"));
  return line;
}

/** The share of each band: whole numbers if all are whole, else one decimal place. */
function percents(odds) {
  const isWhole = odds.bands.every((band) => (band.cases * 100) % odds.of === 0);
  return odds.bands.map((band) => {
    const share = (band.cases * 100) / odds.of;
    if (isWhole) return `${share}%`;
    return share > 0 && share < 0.1 ? "<0.1%" : `${share.toFixed(1)}%`;
  });
}

/** Exact odds in words: `full 30% (6 of 20), partial 25% (5)`. */
export function oddsText(odds) {
  const shares = percents(odds);
  return odds.bands.map((band, at) =>
    `${plainText(band.label)} ${shares[at]} (${band.cases}${at === 0 ? word(" of {cases}", { cases: odds.of }) : ""})`).join(", ");
}

/** The odds of a choice: a bar, and the same in words. */
export function createOdds(odds) {
  const bar = create("span", "odds-bar");
  bar.setAttribute("aria-hidden", "true");
  for (const band of odds.bands) {
    const part = create("span", `band ${toneClass(band.tone)}`);
    part.style.flexGrow = String(band.cases);
    if (band.cases > 0) bar.append(part);
  }
  const label = odds.label ? `${plainText(odds.label)}: ` : "";
  return create("span", "odds", bar, create("span", "odds-text", label + oddsText(odds)));
}
