// Pages over the page: log, sheet, map, help, settings. One at a time; the closing key closes it.

import { create, isField } from "./text.js";

const dialog = document.getElementById("dialog");
const title = document.getElementById("dialog-title");
const body = document.getElementById("dialog-body");
let afterClose = null;
let moreKeys = null;

/** Opens a page with a title and content. `keys` gets the keys that the page does not use. */
export function openDialog(name, content, { focus = null, keys = null, onClose = null } = {}) {
  title.textContent = name;
  body.replaceChildren(...(Array.isArray(content) ? content : [content]));
  moreKeys = keys;
  if (!dialog.open) dialog.showModal();
  afterClose = onClose;
  body.scrollTop = 0;
  (focus ?? body).focus();
}

export function closeDialog() {
  if (dialog.open) dialog.close();
}

export function isDialogOpen() {
  return dialog.open;
}

/** Handles a key of an open page; returns whether it was used. */
export function pressDialogKey(key, action, event) {
  const inField = isField(event.target);
  if (key === "Esc" || (action === "close" && !inField)) {
    closeDialog();
    return true;
  }
  if (inField) return false;
  if (moreKeys?.(key, action)) return true;
  if (["up", "down"].includes(action)) {
    const buttons = [...body.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    if (buttons.length > 0 && body.querySelector(".places button")) {
      const next = at < 0 ? 0 : at + (action === "down" ? 1 : -1);
      buttons[Math.max(0, Math.min(next, buttons.length - 1))].focus();
      return true;
    }
    body.scrollTop += action === "down" ? 40 : -40;
    return true;
  }
  if (["page_up", "page_down", "mark"].includes(action) && event.target.tagName !== "BUTTON") {
    body.scrollTop += (action === "page_up" ? -0.9 : 0.9) * body.clientHeight;
    return true;
  }
  return false;
}

document.getElementById("dialog-close").addEventListener("click", closeDialog);
dialog.addEventListener("close", () => {
  body.replaceChildren(create("p", ""));
  moreKeys = null;
  const after = afterClose;
  afterClose = null;
  after?.();
});
