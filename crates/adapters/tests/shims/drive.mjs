// Plays a host: loads the plugin next to it, makes one call in a sub-agent with its result, and ends.
// Prints what the plugin did. The argument says which host.
import plugin from "./toolgate.mjs"

const dir = process.cwd()
const input = { command: "touch a" }
const goesOn = []
let thrown = null
let result = null

async function attempt(run) {
  try {
    return await run()
  } catch (error) {
    thrown = error.message
  }
}

async function version1() {
  const parentOf = { child: "root" }
  const session = {
    get: async ({ path }) => ({ data: { parentID: parentOf[path.id] } }),
    promptAsync: async ({ path, body }) => goesOn.push([path.id, body.parts[0].text]),
  }
  const hooks = await plugin.server({ client: { session }, directory: dir })
  await hooks["chat.message"]({ sessionID: "child", agent: "general" }, {})
  const call = { tool: "bash", sessionID: "child", callID: "c1" }
  await attempt(() => hooks["tool.execute.before"](call, { args: input }))
  const output = { title: "", output: "OUT", metadata: { output: "OUT", exit: 0 } }
  await hooks["tool.execute.after"]({ ...call, args: input }, output)
  const served = { content: [{ type: "text", text: "OUT" }] }
  await hooks["tool.execute.after"]({ ...call, tool: "fx_echo", args: {} }, served)
  result = [output.output, output.metadata.output, served.content[0].text]
  await hooks.event({ event: { type: "session.idle", properties: { sessionID: "child" } } })
  await hooks.event({ event: { type: "session.idle", properties: { sessionID: "root" } } })
  await hooks.event({ event: { type: "session.error", properties: { sessionID: "root", error: { name: "MessageAbortedError" } } } })
  await hooks.event({ event: { type: "session.idle", properties: { sessionID: "root" } } })
}

async function version2() {
  const hooks = {}
  const session = { get: async ({ sessionID }) => ({ parentID: sessionID === "child" ? "root" : undefined }) }
  const tool = { hook: async (name, run) => (hooks[name] = run) }
  await plugin.setup({ location: { directory: dir }, session, tool })
  const call = { tool: "shell", sessionID: "child", callID: "c1", agent: "general", input }
  await attempt(() => hooks["execute.before"](call))
  const ended = { ...call, status: "completed", result: { content: "OUT" } }
  await hooks["execute.after"](ended)
  const failed = { ...call, status: "error", error: new Error("OUT") }
  await hooks["execute.after"](failed)
  result = [ended.result.content, failed.error.message]
}

async function pi() {
  const hooks = {}
  plugin({ on: (name, run) => (hooks[name] = run) })
  const ctx = { cwd: dir, sessionManager: { getSessionId: () => "root" } }
  await hooks.session_start({ type: "session_start" }, ctx)
  const call = { type: "tool_call", toolName: "bash", toolCallId: "c1", input }
  const answer = await hooks.tool_call(call, ctx)
  if (answer?.block) thrown = answer.reason
  const image = { type: "image", data: "x" }
  const ended = { ...call, type: "tool_result", content: [{ type: "text", text: "OUT" }, image], isError: false }
  const read = await hooks.tool_result(ended, ctx)
  result = (read?.content ?? ended.content).map((part) => part.text ?? part.type)
  const settle = await hooks.agent_before_settle({ type: "agent_before_settle" }, ctx)
  if (settle) goesOn.push(settle.entries[0].content)
}

await { opencode: version1, kilo: version1, "opencode-2": version2, pi }[process.argv[2]]()
console.log(JSON.stringify({ thrown, input, result, goesOn }))
