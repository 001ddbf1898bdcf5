// Plays a compiled story: `node inkjs.cjs STORY STEPS` prints the nanoseconds of a step and how many blows fell.
const { readFileSync } = require("node:fs");
const { Story } = require("inkjs");

const [file, steps] = process.argv.slice(2);
const story = new Story(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
story.ContinueMaximally();

const play = (count) => {
  for (let at = 0; at < count; at++) {
    story.ChooseChoiceIndex(at % 2);
    story.ContinueMaximally();
    if (story.currentChoices.length !== 2) throw new Error("the story does not ask what it is to ask");
  }
};

// What compiles while it runs has run for a while first.
play(2000);
const before = story.variablesState["blows"];
let least = Infinity;
for (let round = 0; round < 20; round++) {
  const begun = process.hrtime.bigint();
  play(steps / 20);
  least = Math.min(least, Number(process.hrtime.bigint() - begun) / (steps / 20));
}
console.log(`${Math.round(least)} ${story.variablesState["blows"] - before}`);
