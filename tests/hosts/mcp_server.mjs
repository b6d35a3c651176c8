// An MCP server on stdio with two tools: `echo` says its text, `mark` writes a file.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tool = (name, field, description) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
});
const tools = [tool("echo", "text", "Says the text"), tool("mark", "path", "Writes a file")];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "fx", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: input }) => {
    if (name === "mark") writeFileSync(input.path, "marked\n");
    return { content: [{ type: "text", text: name === "echo" ? `echo: ${input.text}` : "marked" }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const reply = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }) + "\n");
});
