import { createContext, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { createMcpHandler } from '../../src/mcp/mcp-handler.ts'
import type { Tool } from '../../src/mcp/tool.ts'

/** The answer of a tool with so many characters of data. */
async function answerOf(length: number): Promise<unknown> {
  const data = { text: 'x'.repeat(length) }
  const listed = { name: 'list', title: 'List', description: 'A list.', inputSchema: {}, outputSchema: {} }
  const tool: Tool = {
    listed: { ...listed, annotations: { readOnlyHint: true, openWorldHint: false } },
    call: async () => ({ data, text: 'a list' }),
  }
  const handler = createMcpHandler({
    tools: [tool],
    version: '1.0.0',
    instructions: '',
    describeFailure: () => undefined,
    onBug: () => expect.unreachable(),
  })
  const send = (method: string, params: object) =>
    handler({ method, params: rawJsonFromValue(params), notification: false }, createContext())
  await send('initialize', { protocolVersion: '2025-06-18' })
  const { result } = await send('tools/call', { name: 'list', arguments: {} })
  return (result as { value(): unknown }).value()
}

it('answers with an error that asks for less where the data of a tool are longer than 256 KiB', async () => {
  expect(await answerOf(262_000)).toMatchObject({ isError: false, structuredContent: { text: expect.any(String) } })
  const long = await answerOf(262_144)
  expect(long).toEqual({ content: [{ type: 'text', text: 'the answer is too long: ask for less' }], isError: true })
})
