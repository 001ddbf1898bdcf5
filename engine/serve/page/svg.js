// Elements of pictures. A text in them is a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

export function createSvg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A picture with a name. */
export function createPicture(className, width, height, name) {
  return createSvg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: className, "aria-label": name });
}
