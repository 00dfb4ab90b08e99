// A `javascript` assertion for promptfoo. One Python process grades the whole eval: it is started for
// the first assertion, is asked in lines of JSON, and ends with the eval.
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
const { env, platform } = process;
const COMMAND = ["-X", "utf8", "-m", "faithfulness_assert.promptfoo"];
const ADVICE = "If it lacks faithfulness-assert, name another Python: PROMPTFOO_PYTHON, in .env or the environment";
let grader, asked = 0; // the process, and how often any was asked

module.exports = async (output, context) => {
  if (!context?.vars && /^(before|after)(All|Each)$/.test(output)) // an extension without `:afterAll`
    return output === "afterAll" ? module.exports.afterAll(context) : undefined;
  const grade = { output, context: { ...context, assertionType: "javascript" } };
  const { result, raised, lost } = await answer({ grade });
  if (result) return result;
  const reason = raised ?? `Not graded: ${lost}`;
  if (raised || encode([context?.test]).includes('"not-javascript"')) {
    // promptfoo would invert a result. It reads `pass`, and fails the assertion with this error.
    return { get pass() { throw Object.assign(new Error(reason), { stack: "" }); } };
  }
  const error = { kind: "transport", message: reason, retryable: true };
  const metadata = { graderError: true, defined: false, status: "judge_failed", error };
  return { pass: false, score: 0, reason, metadata };
};
module.exports.afterAll = async (...given) => { // promptfoo's terminal shows no reasons
  const { told, lost } = await answer({ ended: given });
  for (const line of told ?? [`faithfulness-assert: ${lost}`]) process.stderr.write(`${line}\n`);
  retire();
};

// The answer to an ask; never an error, since promptfoo would end with it.
const answer = async (ask) => {
  try {
    const message = encode(ask), environment = JSON.stringify(env);
    if (grader?.environment !== environment) retire(); // a key may have changed
    const own = (grader ??= start(environment)), number = ++asked;
    hold(own, "ref");
    own.child.stdin.write(`${JSON.stringify([number, message])}\n`);
    return await new Promise((resolve) => own.waiting.set(number, resolve));
  } catch (error) {
    return { lost: error.message };
  }
};
const start = (environment) => {
  const python = env.PROMPTFOO_PYTHON || (platform === "win32" ? "python" : "python3");
  const child = spawn(python, COMMAND, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
  const own = { child, environment, waiting: new Map() };
  const fail = (why) => {
    if (grader === own) grader = undefined; // the next assertion starts a new one
    const lost = `${python}: ${why}. ${ADVICE}`;
    for (const number of own.waiting.keys()) settle(own, number, { lost });
  };
  child.on("error", (error) => fail(error.message)).stdin.on("error", () => {});
  child.on("close", (code, how) => fail(how ?? `exit code ${code}`));
  createInterface({ input: child.stdout }).on("line", (line) => {
    try { settle(own, ...JSON.parse(line)); } catch {} // a line of a library
  });
  return own;
};
const settle = (own, number, said) => {
  own.waiting.get(number)?.(said);
  own.waiting.delete(number);
  if (!own.waiting.size) own === grader ? hold(own, "unref") : own.child.stdin.end();
};
const retire = () => { // it ends when its input does, which is after what is under way
  const own = grader;
  grader = undefined;
  if (own && !own.waiting.size) own.child.stdin.end();
};
// promptfoo's process may end while a process that has nothing to do is kept.
const hold = ({ child }, how) => [child, ...child.stdio].forEach((one) => one?.[how]());
// As promptfoo does it for Python: a value that contains itself is left out.
const encode = (value, outer = []) => JSON.stringify(value, function (_, item) {
  while (outer.length && outer.at(-1) !== this) outer.pop();
  if (Object(item) !== item) return item;
  return outer.includes(item) ? undefined : (outer.push(item), item);
});
