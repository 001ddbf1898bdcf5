// The form of a question: rows that set values by choices of the prompt.

import { create, createButton, createMarked, plainText } from "./text.js";
import { word } from "./words.js";

function createSetter(id, label, name, take) {
  const button = createButton("setter", () => take(id), label);
  button.dataset.id = id;
  button.setAttribute("aria-label", name);
  return button;
}

function createStepper(row, choices, take) {
  const name = plainText(row.label);
  const parts = [];
  if (choices.has(row.stepper.less)) parts.push(createSetter(row.stepper.less, "−", word("{name}: less", { name }), take));
  parts.push(create("output", "", String(row.stepper.value)));
  if (choices.has(row.stepper.more)) parts.push(createSetter(row.stepper.more, "+", word("{name}: more", { name }), take));
  return parts;
}

function createOptions(row, choices, take) {
  return row.choices.filter((id) => choices.has(id)).map((id) => {
    const label = plainText(choices.get(id).label);
    const button = createSetter(id, label, `${plainText(row.label)}: ${label}`, take);
    button.setAttribute("aria-pressed", String(row.selected === id));
    return button;
  });
}

/** The rows of the view's form whose choices the prompt has; none if there is no form. */
export function createFormRows({ prompt, view }, take) {
  const form = view.widgets.find((widget) => widget.widget === "form");
  if (!form) return null;
  const choices = new Map(prompt.choices.map((choice) => [choice.id, choice]));
  const element = create("fieldset", "form", createMarked("legend", "", form.label));
  for (const row of form.rows) {
    const controls = row.stepper ? createStepper(row, choices, take) : createOptions(row, choices, take);
    if (!controls.some((control) => control.dataset.id)) continue;
    const name = createMarked("span", "label", row.label);
    const note = row.note ? createMarked("span", "quiet", ` ${row.note}`) : null;
    element.append(create("div", "form-row", name, " ", ...controls, note));
  }
  return element.querySelector("button") ? element : null;
}
