// The question: its choices with keys, odds and prices, submenus, confirmations, forms and fields.

import { create, createButton, createCommand, createKey, createMarked, markedNodes, plainText } from "./text.js";
import { createOdds } from "./dice.js";
import { createFormRows } from "./form.js";
import { createReplaySlider } from "./replay.js";
import { word } from "./words.js";

const textElement = document.getElementById("question-text");
const answerElement = document.getElementById("answer");
const formElement = document.getElementById("form");
const notice = document.getElementById("notice");
const questionPane = document.getElementById("question");

let message = null;
let send = () => {};
let mode = { kind: "top" };
let marked = new Set();
let wasFocusChosen = false;
let needsSecondPress = false;
let focusedId = null;
let focusedRow = -1;

/** Sets where answers go: `send(message, answerText)`. */
export function setSender(sender) {
  send = sender;
}

export function setNotice(text) {
  notice.textContent = text;
}

/** Reading on with a key: the next press of it takes nothing by mistake. */
export function requireSecondPress() {
  needsSecondPress = true;
}

function choiceOf(id) {
  return message.prompt.choices.find((choice) => choice.id === id);
}

function isOpen(choice) {
  return choice && choice.disabled_because === undefined;
}

/** Shows a question. The focus stays if the same question is asked again. */
export function showQuestion(newMessage) {
  const previous = message;
  message = newMessage;
  const isSame = previous !== null && previous.prompt.scene === message.prompt.scene;
  const lastFocus = isSame ? focusedId : null;
  const lastRow = focusedRow;
  mode = { kind: "top" };
  marked = new Set();
  wasFocusChosen = false;
  notice.textContent = "";
  render();
  const row = isSame && lastRow >= 0 ? formElement.querySelectorAll(".form-row")[lastRow] : null;
  const wanted = (lastFocus && answerButtons().find((button) => button.dataset.id === lastFocus)) ||
    row?.querySelector("button");
  const isRepeated = isSame && previous.prompt.choices.length === message.prompt.choices.length &&
    previous.prompt.choices.every((choice, at) => choice.id === message.prompt.choices[at].id);
  if (wanted && (isRepeated || row) && wanted.getAttribute("aria-disabled") !== "true") {
    focusButton(wanted);
    wasFocusChosen = !choiceOf(lastFocus)?.odds;
  } else {
    focusFirst();
  }
}

/** Shows that the answer is under way: nothing can be answered meanwhile. */
export function hideQuestion() {
  answerElement.setAttribute("aria-busy", "true");
}

function render() {
  const { prompt } = message;
  answerElement.removeAttribute("aria-busy");
  answerElement.dataset.mode = mode.kind;
  formElement.replaceChildren();
  if (mode.kind === "confirm") return renderConfirm();
  textElement.replaceChildren(...markedNodes(prompt.text));
  const form = prompt.ask === "one" ? createFormRows(message, take) : null;
  if (form) formElement.append(form);
  if (prompt.ask === "one") renderChoices(false);
  else if (prompt.ask.many) renderChoices(true);
  else renderField(prompt.ask);
  const slider = createReplaySlider(prompt, send);
  if (slider) answerElement.prepend(slider);
}

function createChoice(choice, isMany) {
  const key = message.keys?.choices[choice.id];
  const button = createButton("choice", () => take(choice.id),
    createKey(key), " ", createMarked("span", "label", choice.label));
  button.dataset.id = choice.id;
  if (choice.cost) button.append(" ", create("span", "cost", word("costs {cost}", { cost: plainText(choice.cost) })));
  if (choice.gains) button.append(" ", create("span", "gains", word("may give {gains}", { gains: plainText(choice.gains) })));
  if (choice.note) button.append(" ", createMarked("span", "choice-note", choice.note));
  if (choice.odds) button.append(" ", createOdds(choice.odds));
  if (!isOpen(choice)) {
    button.setAttribute("aria-disabled", "true");
    button.append(" ", create("span", "reason", word("not now: {why}", { why: plainText(choice.disabled_because) })));
  }
  if (isMany) button.setAttribute("aria-pressed", String(marked.has(choice.id)));
  return create("li", "", button);
}

function renderChoices(isMany) {
  const keys = message.keys;
  const formIds = new Set([...formElement.querySelectorAll("[data-id]")].map((one) => one.dataset.id));
  const all = message.prompt.choices.map((choice) => choice.id).filter((id) => !formIds.has(id));
  const submenu = mode.kind === "submenu" ? keys.submenus[mode.index] : null;
  const shown = submenu ? submenu.choices : (keys?.top_level ?? all).filter((id) => !formIds.has(id));
  const list = create("ul", "choices", ...shown.map((id) => createChoice(choiceOf(id), isMany)));
  const parts = [];
  if (submenu) {
    parts.push(create("h3", "", plainText(submenu.name)));
    list.append(create("li", "", createCommand("Esc", word("Back"), closeSubmenu)));
  }
  parts.push(list);
  if (!submenu && (keys?.submenus.length ?? 0) > 0) {
    const menus = create("ul", "submenus");
    keys.submenus.forEach((menu, index) => {
      const open = menu.choices.filter((id) => isOpen(choiceOf(id))).length;
      const count = open === menu.choices.length ? `${open}` : word("{count} of {max}", { count: open, max: menu.choices.length });
      const button = createButton("submenu", () => openSubmenu(index),
        createKey(menu.key), " ", create("span", "label", `${plainText(menu.name)} (${count})`));
      button.dataset.submenu = String(index);
      menus.append(create("li", "", button));
    });
    parts.push(menus);
  }
  if (isMany) {
    const { min, max } = message.prompt.ask.many;
    const done = createCommand("Enter", word("Done ({count} chosen; {min} to {max})", { count: marked.size, min, max }), submitMarked);
    parts.push(create("p", "", done));
  }
  answerElement.replaceChildren(...parts);
}

function renderConfirm() {
  const choice = choiceOf(mode.id);
  textElement.replaceChildren(...markedNodes(choice.confirm));
  const yes = createCommand("y", word("Yes: {label}", { label: plainText(choice.label) }), () => answerChoice(choice));
  const no = createCommand("n", word("No"), leaveConfirm);
  answerElement.replaceChildren(create("ul", "choices", create("li", "", no), create("li", "", yes)));
  no.focus();
}

function leaveConfirm() {
  const { id } = mode;
  mode = mode.from;
  render();
  answerButtons().find((button) => button.dataset.id === id)?.focus();
}

function renderField(ask) {
  const field = create("input", "field");
  field.type = "text";
  field.id = "answer-field";
  const isNumber = ask.number !== undefined;
  field.value = String(isNumber ? ask.number.default : ask.text.default);
  field.autocomplete = "off";
  const what = isNumber ? word("A number from {min} to {max}", ask.number) :
    word("A text of up to {max} signs", { max: ask.text.max_length });
  const label = create("label", "", `${what}: `);
  label.htmlFor = field.id;
  if (isNumber) field.inputMode = "numeric";
  else field.maxLength = ask.text.max_length;
  const submit = () => submitField(field, ask);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Enter" && !event.repeat) submit();
    else if (isNumber && step) {
      const next = (Number.parseInt(field.value, 10) || 0) + step;
      field.value = String(Math.max(ask.number.min, Math.min(next, ask.number.max)));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  answerElement.replaceChildren(create("p", "", label, field, " ", createCommand("Enter", word("Answer"), submit)));
  field.focus({ preventScroll: true });
  field.select();
}

function submitField(field, ask) {
  if (ask.number === undefined) return send({ text: field.value }, field.value);
  const text = field.value.trim();
  if (!/^[+-]?\d+$/.test(text)) return setNotice(word("This is not a whole number."));
  return send({ number: Number.parseInt(text, 10) }, text);
}

function submitMarked() {
  const ids = message.prompt.choices.map((choice) => choice.id).filter((id) => marked.has(id));
  const { min, max } = message.prompt.ask.many;
  if (ids.length < min || ids.length > max) {
    setNotice(word("Choose {min} to {max}.", { min, max }));
    return;
  }
  send({ many: ids }, ids.map((id) => plainText(choiceOf(id).label)).join(", ") || word("none"));
}

/** Takes a choice, or says why not. */
function take(id) {
  const choice = choiceOf(id);
  if (!choice) return;
  if (!isOpen(choice)) {
    setNotice(`${plainText(choice.label)}: ${plainText(choice.disabled_because)}`);
  } else if (message.prompt.ask !== "one") {
    if (!marked.delete(id)) marked.add(id);
    render();
    answerButtons().find((button) => button.dataset.id === id)?.focus();
  } else if (choice.confirm && !message.can_undo) {
    mode = { kind: "confirm", id, from: mode };
    render();
  } else {
    answerChoice(choice);
  }
}

function answerChoice(choice) {
  const label = plainText(choice.label);
  const answer = choice.cost ? word("{label} (costs {cost})", { label, cost: plainText(choice.cost) }) : label;
  send({ choice: choice.id }, answer);
}

function openSubmenu(index) {
  const menu = message.keys.submenus[index];
  // A menu of one choice with the menu's own key takes it at once.
  const only = menu.choices.length === 1 ? choiceOf(menu.choices[0]) : null;
  if (only && menu.key && only.key === menu.key) return take(only.id);
  mode = { kind: "submenu", index };
  render();
  focusFirst();
}

function closeSubmenu() {
  const { index } = mode;
  mode = { kind: "top" };
  render();
  answerElement.querySelector(`[data-submenu="${index}"]`)?.focus();
}

function answerButtons() {
  return [...formElement.querySelectorAll("button"), ...answerElement.querySelectorAll("button")];
}

function focusFirst() {
  if (answerElement.querySelector("#answer-field")) return;
  const buttons = [...answerElement.querySelectorAll("button")];
  const open = buttons.find((button) => button.getAttribute("aria-disabled") !== "true");
  focusButton(open ?? buttons[0] ?? answerButtons()[0]);
}

/** Focuses a button; only the question scrolls to it, not the whole page. */
function focusButton(button) {
  button?.focus({ preventScroll: true });
  if (questionPane.scrollHeight > questionPane.clientHeight) button?.scrollIntoView({ block: "nearest" });
}

/** The choice that has the focus. */
export function focusedChoice() {
  return message ? choiceOf(document.activeElement?.dataset?.id) : null;
}

questionPane.addEventListener("focusin", (event) => {
  focusedId = event.target.dataset?.id ?? null;
  focusedRow = [...formElement.querySelectorAll(".form-row")].indexOf(event.target.closest(".form-row"));
});

function moveFocus(step) {
  const buttons = answerButtons();
  const at = buttons.indexOf(document.activeElement);
  const next = at < 0 ? 0 : (at + step + buttons.length) % buttons.length;
  buttons[next]?.focus();
  wasFocusChosen = true;
}

/** Moves to another row of the form, or out of it. */
function moveToRow(row, step) {
  const rows = [...formElement.querySelectorAll(".form-row")];
  const next = rows[rows.indexOf(row) + step];
  wasFocusChosen = true;
  if (next) (next.querySelector('[aria-pressed="true"]') ?? next.querySelector("button")).focus();
  else if (step > 0) answerElement.querySelector("button")?.focus();
  else answerButtons().at(-1)?.focus();
}

/** Sets a row of the form to its next or previous value. */
function setRow(row, step) {
  const buttons = [...row.querySelectorAll("button")];
  const pressed = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
  const isStepper = row.querySelector("output") !== null;
  const wanted = isStepper ? buttons.find((button) => button.textContent === (step > 0 ? "+" : "−"))
    : buttons[pressed < 0 ? 0 : pressed + step];
  if (!wanted) return;
  wanted.focus();
  take(wanted.dataset.id);
}

/** Whether taking the focused choice needs a second press, as in a terminal. */
function asksAgain(choice) {
  const { prompt, keys } = message;
  if (prompt.ask !== "one" || wasFocusChosen || prompt.scene.startsWith("host:") || !isOpen(choice)) return false;
  const hasSeveral = prompt.choices.filter(isOpen).length > 1;
  return choice.odds !== undefined || (!choice.back && keys?.back !== undefined) || (needsSecondPress && hasSeveral);
}

/** Handles a key at the question; returns whether it was used. */
export function pressQuestionKey(key, action, isRepeat) {
  if (!message) return false;
  if (mode.kind === "confirm") {
    if (key === "y") answerChoice(choiceOf(mode.id));
    else if (key === "n" || action === "close") leaveConfirm();
    else return moveOrPress(action, isRepeat);
    return true;
  }
  const target = findKeyTarget(key);
  if (target && !isRepeat) {
    needsSecondPress = true;
    target();
    return true;
  }
  if (action === "close") {
    const back = message.keys?.back;
    if (mode.kind === "submenu") closeSubmenu();
    else if (back !== undefined && !isRepeat) take(back);
    else return false;
    return true;
  }
  return moveOrPress(action, isRepeat);
}

/** What a key takes: a choice, or a submenu that it opens or closes. */
function findKeyTarget(key) {
  const keys = message.keys;
  if (!keys) return null;
  const ofKey = (ids) => ids.find((id) => keys.choices[id] === key);
  if (mode.kind === "submenu") {
    const menu = keys.submenus[mode.index];
    const id = ofKey(menu.choices) ?? (menu.are_keys_unique ? ofKey(keys.top_level) : undefined);
    if (id !== undefined) return () => take(id);
    if (menu.key === key) return closeSubmenu;
  }
  const top = ofKey(keys.top_level);
  if (top !== undefined) return () => take(top);
  const index = keys.submenus.findIndex((menu) => menu.key === key);
  if (index >= 0) return () => openSubmenu(index);
  const inMenus = keys.submenus.filter((menu) => menu.are_keys_unique).flatMap((menu) => menu.choices);
  const hidden = ofKey(inMenus);
  return hidden === undefined ? null : () => take(hidden);
}

function moveOrPress(action, isRepeat) {
  const isMany = message.prompt.ask.many !== undefined;
  const focused = document.activeElement;
  const row = focused?.closest?.(".form-row");
  switch (action) {
    case "down":
    case "up":
      if (row) moveToRow(row, action === "down" ? 1 : -1);
      else moveFocus(action === "down" ? 1 : -1);
      return true;
    case "left":
    case "right":
      if (row && !isRepeat) setRow(row, action === "right" ? 1 : -1);
      else moveFocus(action === "right" ? 1 : -1);
      return true;
    case "first":
    case "last":
      answerButtons().at(action === "first" ? 0 : -1)?.focus();
      wasFocusChosen = true;
      return true;
    case "mark":
      if (!isMany || !focused?.dataset?.id) return false;
      take(focused.dataset.id);
      return true;
    case "take": {
      if (isRepeat) return true;
      if (isMany) return submitMarked(), true;
      const choice = focusedChoice();
      if (choice && !row && asksAgain(choice)) {
        wasFocusChosen = true;
        const names = { key: "Enter", label: plainText(choice.label) };
        setNotice(choice.odds ? word("Press {key} again to roll the dice for: {label}.", names)
          : word("Press {key} again to take: {label}.", names));
      } else if (answerButtons().includes(focused)) {
        focused.click();
      } else {
        focusFirst();
      }
      return true;
    }
    default: return false;
  }
}
