// Plays promptfoo: calls `faithfulness.cjs` as the lines of its input say, each with a number, the name of a call and its arguments.
const assertion = require(process.argv[2]);
const calls = {
  afterAll: assertion.afterAll,
  extension: assertion,
  set: (name, value) => void (process.env[name] = value),
  grade: async (output, context) => {
    const result = await assertion(output, { ...context, itself: context, providers: [context, context] });
    try {
      return { pass: result.pass, ...result };
    } catch (error) {
      return { error: error.message, stack: error.stack };
    }
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const [number, name, ...given] = JSON.parse(line);
  console.log(JSON.stringify([number, (await calls[name](...given)) ?? null]));
});
