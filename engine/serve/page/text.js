// Texts become nodes here, and nowhere else: what a mod, a save or a player wrote is never markup.

/** Creates an element with a class and children; a text child becomes a text node. */
export function create(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Splits marked text: `*word*` is emphasis, a backslash takes the next sign as it is. */
function splitMarked(marked) {
  const parts = [];
  let text = "", isStrong = false;
  for (let at = 0; at < marked.length; at += 1) {
    if (marked[at] === "\\" && at + 1 < marked.length) {
      at += 1;
      text += marked[at];
    } else if (marked[at] === "*") {
      parts.push({ text, isStrong });
      text = "";
      isStrong = !isStrong;
    } else {
      text += marked[at];
    }
  }
  parts.push({ text, isStrong });
  return parts.filter((part) => part.text !== "");
}

/** The nodes of marked text. */
export function markedNodes(marked) {
  return splitMarked(marked ?? "").map(({ text, isStrong }) =>
    isStrong ? create("em", "", text) : document.createTextNode(text));
}

/** An element with marked text. */
export function createMarked(name, className, marked) {
  return create(name, className, ...markedNodes(marked));
}

/** Marked text without its marks. */
export function plainText(marked) {
  return splitMarked(marked ?? "").map((part) => part.text).join("");
}

/** A tone as a class; what is no known tone gives none. */
export function toneClass(tone) {
  return ["good", "fair", "poor", "bad", "quiet", "strong"].includes(tone) ? `tone-${tone}` : "";
}

/** A key as it is shown. */
export function createKey(key) {
  return key ? create("kbd", "", key) : null;
}

/** A button that does something. */
export function createButton(className, run, ...children) {
  const button = create("button", className, ...children);
  button.type = "button";
  button.addEventListener("click", run);
  return button;
}

/** A button with its key. */
export function createCommand(key, label, run) {
  return createButton("command", run, createKey(key), ` ${label}`);
}

/** Whether an element takes keys as text. */
export function isField(element) {
  return ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
}
