// The page's own words, in the language of the player.

let translations = {};

/** Sets what is shown instead of the English words. */
export function setWords(words) {
  translations = words;
}

/** A text of the page, with values for its marks `{name}`. Its first argument is a literal. */
export function word(text, values = {}) {
  return (translations[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
