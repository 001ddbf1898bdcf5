// The slider of a replay: it goes to a step through the replay's own question for a number.

import { create, plainText } from "./text.js";
import { word } from "./words.js";

let wantedStep = null;

/** The slider, if the question is that of a replay. */
export function createReplaySlider(prompt, send) {
  const jump = prompt.choices.find((choice) => choice.id === "jump");
  if (prompt.scene !== "host:replay" || !jump) return null;
  // Such as "Step 3 of 17."
  const [step, last] = (plainText(prompt.text).match(/\d+/g) ?? []).map(Number);
  if (last === undefined) return null;
  const slider = create("input", "");
  slider.type = "range";
  slider.id = "replay-slider";
  slider.min = "0";
  slider.max = String(last);
  slider.value = String(step);
  const label = create("label", "", `${word("Step")}: `);
  label.htmlFor = slider.id;
  const value = create("output", "", word("{count} of {max}", { count: step, max: last }));
  slider.addEventListener("input", () => { value.textContent = word("{count} of {max}", { count: slider.value, max: last }); });
  slider.addEventListener("change", () => {
    wantedStep = Number(slider.value);
    send({ choice: "jump" }, "");
  });
  return create("p", "replay", label, slider, " ", value);
}

/** The answer to the replay's question for a number, after the slider was moved. */
export function takeWantedStep(prompt) {
  const step = wantedStep;
  wantedStep = null;
  return prompt.scene === "host:replay" && prompt.ask.number && step !== null ? { number: step } : null;
}
