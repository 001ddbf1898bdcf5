// The connection to the program: its messages as they come, and answers to them.

import { word } from "./words.js";

let source = null;
let page = 0;
let lastNumber = 0;
let questionNumber = 0;
let isAnswering = false;

/** Whether a question waits for an answer of this page. */
export function isWaiting() {
  return questionNumber > 0 && !isAnswering;
}

/** Opens the connection. `handlers` has `message`, `state` and `past` (the number of the last old message). */
export function connect(handlers, takesOver = false) {
  source?.close();
  if (takesOver) lastNumber = 0;
  const query = `after=${lastNumber}${takesOver ? "&take=1" : ""}`;
  source = new EventSource(`/events?${query}`);
  source.addEventListener("page", (event) => {
    const { page: number, last } = JSON.parse(event.data);
    page = number;
    handlers.state("open");
    handlers.past(last);
  });
  source.addEventListener("message", (event) => {
    const number = Number(event.lastEventId);
    if (number <= lastNumber) return;
    lastNumber = number;
    const message = JSON.parse(event.data);
    const asks = message.type === "prompt" || message.type === "refused";
    questionNumber = asks ? number : 0;
    if (asks) isAnswering = false;
    handlers.message(message, number);
  });
  for (const state of ["busy", "replaced", "over"]) {
    source.addEventListener(state, () => {
      source.close();
      questionNumber = 0;
      handlers.state(state);
    });
  }
  source.addEventListener("error", () => {
    // It opens again by itself, and goes on after the last message.
    if (source.readyState === EventSource.CLOSED) handlers.state("lost");
    else handlers.state("waiting");
  });
}

/** Sends an answer to the question that waits; returns why it was not taken, or null. */
export async function sendAnswer(answer) {
  if (!isWaiting()) return "";
  isAnswering = true;
  const question = questionNumber;
  let response;
  try {
    response = await postJson(`/answer?page=${page}&question=${question}`, answer);
  } catch {
    if (questionNumber === question) isAnswering = false;
    return word("The program does not answer.");
  }
  if (response.ok) return null;
  if (questionNumber === question) isAnswering = false;
  if (response.status === 409) return word("This was answered already, or the run is open in another page.");
  return (await response.text()).trim();
}

/** Sends a value. */
export function postJson(path, value) {
  return fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value),
  });
}

/** Reads a value; fails if there is none. */
export async function getJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

/** Asks where something comes from (`--dev`). */
export async function askWhy(words) {
  try {
    const response = await postJson("/why", words);
    return await response.text();
  } catch {
    return word("The program does not answer.");
  }
}
