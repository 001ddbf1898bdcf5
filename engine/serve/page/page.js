// The page: shows the messages of the program, and turns keys and clicks into answers.

import { create, createButton, createKey, isField, markedNodes, plainText } from "./text.js";
import { connect, isWaiting, sendAnswer } from "./connection.js";
import { addEvents, addProblem, beginStory, createLog, hasUnread, scrollPages, setPendingAnswer, showNewText } from "./story.js";
import { focusedChoice, hideQuestion, pressQuestionKey, requireSecondPress, setNotice, setSender, showQuestion } from "./question.js";
import { collectCards, createCard, createWidgets } from "./widgets.js";
import { createMap, findMap } from "./map.js";
import { closeDialog, isDialogOpen, openDialog, pressDialogKey } from "./dialog.js";
import { applySettings, createSettings } from "./settings.js";
import { createHelp, createTerms } from "./help.js";
import { takeWantedStep } from "./replay.js";
import { showDesigner, noteAnswer, noteMessage } from "./designer.js";
import { setWords, word } from "./words.js";

const KEY_NAMES = {
  ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", PageUp: "PgUp",
  PageDown: "PgDn", Escape: "Esc", " ": "Space",
};

let current = null;
let keymap = { actions: {}, is_dev: false };
let terms = [];
let pastNumber = 0;
let lastLines = [];

/** Sends an answer or a command, and shows it in the story. */
async function send(answer, text) {
  if (!isWaiting()) return;
  setNotice("");
  hideQuestion();
  setPendingAnswer(text);
  noteAnswer();
  const refusal = await sendAnswer(answer);
  if (refusal) {
    setNotice(refusal);
    document.getElementById("answer").removeAttribute("aria-busy");
  }
}

function command(name) {
  return send({ command: name }, "");
}

function showView(view, runLabel) {
  const place = document.getElementById("place");
  place.replaceChildren(...markedNodes(view.title || "Sub Rosa"));
  document.title = plainText(view.title || "Sub Rosa");
  document.getElementById("run-label").textContent = runLabel;
  document.getElementById("top").replaceChildren(...createWidgets(view, ["top"]));
  const sheet = document.getElementById("sheet");
  sheet.replaceChildren(...createWidgets(view, ["sheet"]));
  const more = createWidgets(view, ["more"]);
  if (more.length > 0) sheet.append(create("div", "more", ...more));
  sheet.hidden = sheet.childElementCount === 0;
}

function showPrompt(message, number) {
  current = message;
  const step = takeWantedStep(message.prompt);
  if (step) {
    void send(step, "");
    return;
  }
  // For style and for programs that drive the page.
  const question = document.getElementById("question");
  question.dataset.scene = message.prompt.scene;
  question.dataset.number = String(number);
  showView(message.view, message.run_label);
  showQuestion(message);
  showNewText();
}

function showMessage(message, number) {
  noteMessage(message, keymap.is_dev);
  switch (message.type) {
    case "story":
      closeDialog();
      beginStory(message.past);
      break;
    case "events": addEvents(message.events); break;
    case "problem": addProblem(message.problem); break;
    case "prompt": showPrompt(message, number); break;
    case "page":
      if (number > pastNumber) openPage(message.page);
      break;
    case "refused":
      setNotice(message.message);
      document.getElementById("answer").removeAttribute("aria-busy");
      break;
    case "keymap":
      keymap = message;
      showPages();
      showDesigner(keymap.is_dev);
      break;
    case "terms": ({ terms } = message); break;
    case "words": showLanguage(message); break;
    case "end": lastLines = message.lines; break;
    default: break;
  }
}

function showState(state) {
  const texts = {
    busy: word("This run is open in another page."),
    replaced: word("This run is played in another page now."),
    over: word("The program has ended."),
    lost: word("The program does not answer any more."),
    waiting: word("The connection is broken; it is tried again."),
  };
  if (state === "open") setNotice("");
  if (!texts[state]) return;
  if (state === "waiting") {
    setNotice(texts.waiting);
    return;
  }
  const parts = [create("p", "", texts[state]), ...lastLines.map((line) => create("p", "", line))];
  if (state === "busy" || state === "replaced") {
    const playHere = () => {
      beginStory([]);
      connect(handlers, true);
    };
    parts.push(create("p", "", createButton("command", playHere, word("Play here instead"))));
  }
  document.getElementById("question-text").replaceChildren();
  document.getElementById("form").replaceChildren();
  document.getElementById("answer").replaceChildren(...parts);
  document.querySelector("#answer button")?.focus();
}

function openPage(view) {
  openDialog(plainText(view.title), createWidgets(view, ["top", "sheet", "more"]));
}

function openSheet() {
  if (current) openPage(current.view);
}

function openMap() {
  const map = current && findMap(current.view);
  if (!map) return setNotice(word("There is no map here."));
  const travel = (place) => {
    closeDialog();
    void send({ travel: place }, "");
  };
  const canTravel = current.prompt.choices.some((choice) => (choice.map_targets ?? []).length > 0);
  return openDialog(plainText(map.label), createMap(map, canTravel ? travel : null));
}

function openLog(isSearch) {
  const { content, field } = createLog();
  openDialog(word("Story"), content, { focus: isSearch ? field : null });
  const body = document.getElementById("dialog-body");
  body.scrollTop = body.scrollHeight;
}

function openHelp() {
  const showTerms = () => openDialog(word("Terms"), createTerms(terms));
  openDialog(word("Help"), createHelp(keymap), {
    keys: (_, action) => action === "help" && (showTerms(), true),
  });
}

function openCards() {
  if (!current) return;
  const cards = collectCards(current.prompt, current.view);
  if (cards.length === 0) return setNotice(word("There is nothing to examine here."));
  const focused = cards.findIndex((one) => one.choice && one.choice === focusedChoice()?.id);
  const ofView = cards.findIndex((one) => !one.choice);
  let at = Math.max(focused >= 0 ? focused : ofView, 0);
  const show = () => openDialog(plainText(cards[at].card.title), [
    createCard(cards[at].card), create("p", "quiet", `${word("{count} of {max}", { count: at + 1, max: cards.length })}; ${keymap.actions.examine?.[0] ?? "x"}: ${word("next")}`),
  ], { keys: (_, action) => action === "examine" && ((at = (at + 1) % cards.length), show(), true) });
  return show();
}

function openConsole() {
  const field = create("input", "field");
  field.type = "text";
  field.id = "console-field";
  const label = create("label", "", `${word("A line of Luau, or help")}: `);
  label.htmlFor = field.id;
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    closeDialog();
    void send({ console: field.value }, `: ${field.value}`);
  });
  openDialog(word("Console"), create("p", "", label, field), { focus: field });
}

const ACTIONS = {
  sheet: openSheet, map: openMap, log: () => openLog(false), search: () => openLog(true),
  help: openHelp, examine: openCards,
  page_up: () => scrollPages(-1), page_down: () => scrollPages(1), mark: () => scrollPages(1),
  explore: () => command("explore"), leave: () => command("leave"),
  undo: () => (current?.can_undo ? command("undo") : setNotice(word("Only answers of a practice run can be undone."))),
  reload: () => keymap.is_dev && command("reload"), console: () => keymap.is_dev && openConsole(),
};

/** Names the parts of the page. */
function showNames() {
  const names = { pages: word("Pages"), story: word("Story"), question: word("Question"), sheet: word("Sheet"), designer: word("Designer") };
  for (const [id, name] of Object.entries(names)) document.getElementById(id).setAttribute("aria-label", name);
  document.getElementById("dialog-close").replaceChildren(createKey("Esc"), ` ${word("Close")}`);
}

/** Shows the page's own words in another language. */
function showLanguage({ language, words }) {
  setWords(words);
  document.documentElement.lang = language ?? "en";
  showNames();
  showPages();
  showDesigner(keymap.is_dev, true);
}

/** The buttons of the pages, with their keys. */
function showPages() {
  const entries = [
    ["sheet", word("Sheet"), openSheet], ["map", word("Map"), openMap], ["log", word("Story"), () => openLog(false)],
    ["help", word("Help"), openHelp], [null, word("Page settings"), () => openDialog(word("Page settings"), createSettings())],
    ["leave", word("Leave"), () => command("leave")],
  ];
  document.getElementById("pages").replaceChildren(...entries.map(([action, label, run]) =>
    createButton("", run, createKey(keymap.actions[action]?.[0]), ` ${label}`)));
}

function actionOf(key) {
  return Object.keys(keymap.actions).find((action) => keymap.actions[action].includes(key));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const key = KEY_NAMES[event.key] ?? event.key;
  const action = actionOf(key);
  if (isDialogOpen()) {
    if (pressDialogKey(key, action, event)) event.preventDefault();
    return;
  }
  if (isField(event.target)) {
    if (key === "Esc") document.activeElement.blur();
    return;
  }
  // Buttons outside the question keep their own keys.
  const isOtherButton = event.target.tagName === "BUTTON" && !event.target.closest("#question");
  if (key === "Tab" || (isOtherButton && ["Enter", "Space"].includes(key))) return;
  if (action === "take" && hasUnread()) {
    scrollPages(1);
    requireSecondPress();
  } else if (pressQuestionKey(key, action, event.repeat)) {
    // It was used there.
  } else if (action && ACTIONS[action] && (!event.repeat || action.startsWith("page"))) {
    ACTIONS[action]();
  } else if (!action) {
    return;
  }
  event.preventDefault();
});

const handlers = {
  message: showMessage,
  state: showState,
  past: (last) => { pastNumber = Math.max(pastNumber, last); },
};

// The token is in a cookie now; the address needs it no more.
if (location.search) history.replaceState(null, "", "/");
applySettings();
setSender(send);
showPages();
connect(handlers);
