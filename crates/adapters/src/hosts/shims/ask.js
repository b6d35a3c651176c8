// toolgate hook: COMMAND
// Written by `toolgate install`; change nothing here. It judges nothing: each call is handed to the command
// above, and its answer is carried out. Without an answer that makes sense, the call does not run.
import { spawn, spawnSync } from "node:child_process"

const hook = JSON_OF_IT
// The command answers sooner, also while a person decides.
const limitMs = 600_000

const fix =
  "Fix: run `toolgate doctor` in a terminal, or install Toolgate again. This is a problem with the setup, not a " +
  "decision about the call."


// Whether an answer is one the command gives.
function isAnswer(answer) {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
  if (answer.decision !== undefined) return answer.decision === "allow" || answer.decision === "block"
  return isObject(answer.modifiedArgs) || isObject(answer.modifiedResult) || typeof answer.additionalContext === "string"
}

function optionsOf(message) {
  const env = { ...process.env, TOOLGATE_PROJECT_DIR: message.cwd }
  return { cwd: message.cwd, env, stdio: ["pipe", "pipe", "ignore"] }
}

// Asks the command; rejects with why it has no answer.
function ask(message) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(why))
    let child
    try {
      child = spawn("/bin/sh", ["-c", `exec ${hook}`], optionsOf(message))
    } catch (error) {
      return fail(`the hook cannot be started: ${error.message}`)
    }
    const clock = setTimeout(() => {
      child.kill("SIGKILL")
      fail("the hook did not answer in time")
    }, limitMs)
    const parts = []
    child.on("error", (error) => {
      clearTimeout(clock)
      fail(`the hook cannot be started: ${error.message}`)
    })
    // A hook that ends before it has read everything shows in how it ends.
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => parts.push(part))
    child.on("close", (code, signal) => {
      clearTimeout(clock)
      if (code !== 0) return fail(`the hook \`${hook}\` ended with ${signal ?? `exit code ${code}`}`)
      try {
        const answer = JSON.parse(Buffer.concat(parts).toString("utf8"))
        return isAnswer(answer) ? resolve(answer) : fail("the answer of the hook has no decision")
      } catch {
        return fail("the answer of the hook is not JSON")
      }
    })
    child.stdin.end(JSON.stringify(message))
  })
}

// Puts new values into an object that others hold.
function refill(object, values) {
  for (const name of Object.keys(object)) delete object[name]
  Object.assign(object, values)
}

// Remarks on calls that still run; the agent reads them with the result.
const remarks = new Map()

// Throws if the call must not run; changes its input if it must run otherwise.
async function before(message, input) {
  let answer
  try {
    answer = await ask({ ...message, tool_input: input })
  } catch (error) {
    throw new Error(`Toolgate is broken, so nothing was run: ${error.message}. ${fix}`)
  }
  if (answer.decision === "block") throw new Error(answer.reason || "Toolgate blocked this call.")
  if (answer.modifiedArgs) refill(input, answer.modifiedArgs)
  if (answer.additionalContext) remarks.set(message.tool_use_id, answer.additionalContext)
}

// What the model reads instead of `text`. The call has run, so a broken hook is only said.
async function after(message, input, text, more) {
  const own = remarks.get(message.tool_use_id)
  remarks.delete(message.tool_use_id)
  let answer = {}
  try {
    answer = await ask({ ...message, tool_input: input, tool_response: { output: text, ...more } })
  } catch (error) {
    answer = { additionalContext: `Toolgate is broken and did not see this result: ${error.message}. ${fix}` }
  }
  const notes = [own, answer.additionalContext].filter(Boolean)
  const shown = answer.modifiedResult ? answer.modifiedResult.textResultForLlm : text
  return { text: [shown, ...notes.map((note) => `[${note}]`)].join("\n\n"), isChanged: notes.length > 0 || shown !== text }
}

// Why the agent must go on, if it must. The host may end once it has nothing to do, so this one keeps it waiting.
// A broken hook keeps no agent from stopping.
function whyGoOn(message) {
  const input = JSON.stringify(message)
  const ended = spawnSync("/bin/sh", ["-c", `exec ${hook}`], { ...optionsOf(message), input, timeout: limitMs })
  try {
    const answer = JSON.parse(ended.stdout.toString("utf8"))
    return ended.status === 0 && answer.decision === "block" ? answer.reason : undefined
  } catch {
    return undefined
  }
}
