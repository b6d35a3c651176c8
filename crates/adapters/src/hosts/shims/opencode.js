
// One session with its sub-agents: their calls are recorded with the session that started them.
const parents = new Map()
const roles = new Map()

async function context(session, directory, parentOf) {
  let root = session
  for (let depth = 0; depth < 32; depth += 1) {
    if (!parents.has(root)) {
      let parent
      try {
        parent = await parentOf(root)
      } catch {
        parent = undefined
      }
      parents.set(root, parent ?? null)
    }
    const parent = parents.get(root)
    if (!parent) break
    root = parent
  }
  const isOwn = root === session
  return {
    session_id: root,
    cwd: directory,
    ...(isOwn ? {} : { agent_id: session, agent_type: roles.get(session) }),
  }
}

function textOf(result) {
  if (typeof result === "string") return result
  if (typeof result?.output === "string") return result.output
  const parts = Array.isArray(result?.content) ? result.content : [{ text: result?.content }]
  return parts.map((part) => part?.text).filter((text) => typeof text === "string").join("\n")
}

// OpenCode 1.x and Kilo.
async function server({ client, directory }) {
  const parentOf = async (id) => (await client.session.get({ path: { id } }))?.data?.parentID
  const aborted = new Set()
  return {
    "chat.message": async (input, output) => {
      roles.set(input.sessionID, input.agent ?? output?.message?.agent)
    },
    "tool.execute.before": async (input, output) => {
      const about = await context(input.sessionID, directory, parentOf)
      const call = { tool_name: input.tool, tool_use_id: input.callID }
      await before({ hook_event_name: "tool.execute.before", ...about, ...call }, output.args)
    },
    "tool.execute.after": async (input, output) => {
      const about = await context(input.sessionID, directory, parentOf)
      const call = { tool_name: input.tool, tool_use_id: input.callID }
      const message = { hook_event_name: "tool.execute.after", ...about, ...call }
      const more = typeof output?.metadata?.exit === "number" ? { exit_code: output.metadata.exit } : {}
      const read = await after(message, input.args, textOf(output), more)
      if (!read.isChanged) return
      if (Array.isArray(output.content)) {
        const others = output.content.filter((part) => typeof part?.text !== "string")
        output.content = [{ type: "text", text: read.text }, ...others]
      } else {
        output.output = read.text
        if (typeof output.metadata?.output === "string") output.metadata.output = read.text
      }
    },
    event: async ({ event }) => {
      const properties = event?.properties ?? {}
      const id = properties.sessionID
      if (event?.type === "session.created") parents.set(properties.info?.id ?? id, properties.info?.parentID ?? null)
      if (event?.type === "session.error" && properties.error?.name === "MessageAbortedError") aborted.add(id)
      if (event?.type !== "session.idle" || !id) return
      // What the person ended stays ended.
      if (aborted.delete(id)) return
      const about = await context(id, directory, parentOf)
      if (about.agent_id) return
      const why = whyGoOn({ hook_event_name: "session.idle", ...about })
      if (why) await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: why }] } })
    },
  }
}

// OpenCode 2.x.
async function setup(ctx) {
  const directory = ctx.location?.directory ?? process.cwd()
  const parentOf = async (sessionID) => (await ctx.session.get({ sessionID }))?.parentID
  const message = async (name, event) => {
    roles.set(event.sessionID, event.agent)
    const about = await context(event.sessionID, directory, parentOf)
    return { hook_event_name: name, ...about, tool_name: event.tool, tool_use_id: event.callID ?? event.id }
  }
  await ctx.tool.hook("execute.before", async (event) => {
    await before(await message("tool.execute.before", event), event.input)
  })
  await ctx.tool.hook("execute.after", async (event) => {
    const more = event.status === "error" ? { error: event.error?.message ?? "failed" } : {}
    const text = more.error ?? textOf(event.result)
    const read = await after(await message("tool.execute.after", event), event.input, text, more)
    if (!read.isChanged) return
    if (event.status === "error") event.error = new Error(read.text)
    else event.result = { ...event.result, content: read.text }
  })
  return () => {}
}

export default { id: "toolgate", server, setup }
