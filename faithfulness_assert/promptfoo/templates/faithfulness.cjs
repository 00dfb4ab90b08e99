// A `javascript` assertion for promptfoo. The worker of this eval grades; without one, a new Python
// process does, with the same result. `beforeAll` and `afterAll` start and stop the worker.
const { spawn, spawnSync } = require("node:child_process");
const { once } = require("node:events");
const { buffer, json, text } = require("node:stream/consumers");
const fs = require("node:fs"), net = require("node:net"), path = require("node:path");
const { env, platform } = process;
const PYTHON = env.PROMPTFOO_PYTHON || (platform === "win32" ? "python" : "python3");
const START = 30_000, SILENCE = 10_000; // milliseconds; then the worker is given up
let worker = {}; // its process, a promise of its address, and a number for the eval that it serves
module.exports = async (output, context) => {
  try {
    const grade = [output, { ...context, assertionType: "javascript" }];
    const reply = (await askWorker(grade).catch(() => null)) ?? (await askNewProcess(grade));
    return reply.result ?? notGraded(reply.raised);
  } catch (error) {
    const advice = "PROMPTFOO_PYTHON must name the Python that has faithfulness-assert";
    return notGraded(`Not graded: ${error.message}. ${advice}`);
  }
};
module.exports.beforeAll = () => {
  const server = ["-m", "faithfulness_assert.promptfoo.worker_process.server", process.pid];
  const child = spawn(PYTHON, server, { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  child.on("error", () => {}).unref(); // without a worker, new processes grade
  setTimeout(() => child.stdout.destroy(), START).unref();
  worker = { child, address: json(child.stdout).catch(() => ({})), evaluation: Date.now() };
};
module.exports.afterAll = (...given) => { // promptfoo's terminal shows no reasons
  worker.child?.kill();
  const says = ["-m", "faithfulness_assert.promptfoo.eval_end"];
  spawnSync(PYTHON, says, { input: encode(given), stdio: ["pipe", "ignore", "inherit"] });
};
// promptfoo reads `pass`, and fails the assertion with this error, also under `not-javascript`.
const notGraded = (why) => ({ get pass() { throw Object.assign(new Error(why), { stack: "" }); } });

async function askWorker(grade) {
  const { socket, ...identity } = await worker.address;
  const folder = fs.lstatSync(path.dirname(socket)), user = process.geteuid();
  if (!folder.isDirectory() || folder.uid !== user || folder.mode & 0o077) return null;
  if (!fs.lstatSync(socket).isSocket() || fs.lstatSync(socket).uid !== user) return null;
  identity.environment = env;
  const message = Buffer.from(`size${encode({ identity, eval: worker.evaluation, grade })}`);
  message.writeUInt32BE(message.length - 4); // in place of the word "size"
  const connection = net.connect(socket).setTimeout(SILENCE, () => connection.destroy());
  connection.write(message);
  const received = await buffer(connection);
  const size = received.findIndex((byte) => byte) & ~3; // a size of 0 is a sign of life
  const reply = JSON.parse(received.subarray(size + 4));
  return "result" in reply || "raised" in reply ? reply : null;
}
async function askNewProcess(grade) {
  const child = spawn(PYTHON, ["-m", "faithfulness_assert.promptfoo.javascript"]);
  child.stdin.on("error", () => {}).write(`${encode(grade)}\n`); // open: it ends with promptfoo
  const streams = [text(child.stdout), text(child.stderr), once(child, "close")];
  const [reply, problem] = await Promise.all(streams);
  if (reply) return JSON.parse(reply);
  throw new Error(`${PYTHON} failed: ${/No module named [\w.']+/.exec(problem) ?? child.exitCode}`);
}
// As promptfoo does it for Python: a value that contains itself is left out.
const encode = (value, outer = []) => JSON.stringify(value, function (_, item) {
  while (outer.length && outer.at(-1) !== this) outer.pop();
  if (Object(item) !== item) return item;
  return outer.includes(item) ? undefined : (outer.push(item), item);
});
