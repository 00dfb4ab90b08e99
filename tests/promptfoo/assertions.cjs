// Plays promptfoo: calls `faithfulness.cjs` as the lines of its input say, each with the name of a call and its arguments.
const assertion = require(process.argv[2]);
const calls = {
  ...assertion,
  set: (name, value) => void (process.env[name] = value),
  grade: (...gradings) => Promise.all(gradings.map(async ([output, context]) => {
    try {
      const result = await assertion(output, { ...context, itself: context, providers: [context, context] });
      return { pass: result.pass, ...result };
    } catch (error) {
      return { error: error.message, stack: error.stack };
    }
  })),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const [name, ...given] = JSON.parse(line);
  console.log(JSON.stringify((await calls[name](...given)) ?? null));
});
