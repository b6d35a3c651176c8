
function contextOf(ctx) {
  return { session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd }
}

export default function (pi) {
  pi.on("session_start", async (_event, ctx) => {
    try {
      await ask({ hook_event_name: "session_start", ...contextOf(ctx) })
    } catch {
      // The first call says it.
    }
  })
  pi.on("tool_call", async (event, ctx) => {
    const call = { tool_name: event.toolName, tool_use_id: event.toolCallId }
    try {
      await before({ hook_event_name: "tool_call", ...contextOf(ctx), ...call }, event.input)
    } catch (error) {
      return { block: true, reason: error.message }
    }
  })
  pi.on("tool_result", async (event, ctx) => {
    const call = { tool_name: event.toolName, tool_use_id: event.toolCallId }
    const isText = (part) => part?.type === "text"
    const text = event.content.filter(isText).map((part) => part.text).join("\n")
    const message = { hook_event_name: "tool_result", ...contextOf(ctx), ...call }
    const read = await after(message, event.input, text, { is_error: event.isError })
    if (!read.isChanged) return
    return { content: [{ type: "text", text: read.text }, ...event.content.filter((part) => !isText(part))] }
  })
  pi.on("agent_before_settle", async (_event, ctx) => {
    const why = whyGoOn({ hook_event_name: "agent_before_settle", ...contextOf(ctx) })
    if (!why) return
    return { continue: true, entries: [{ type: "custom_message", customType: "toolgate", content: why, display: true }] }
  })
}
