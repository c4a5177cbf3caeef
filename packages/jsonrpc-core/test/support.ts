import {
  createContext,
  rawJsonFromValue,
  type RpcHandler,
  type RpcReply,
  type RpcServer,
  type RpcRequest,
  type RpcResult,
} from '@wayleave/jsonrpc-core'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const call = (method: string, params: unknown = []): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})

/** A handler that answers with the method's name and its params. */
export const echo: RpcHandler = async ({ method, params }) => ({
  result: rawJsonFromValue({ method, params: params?.value() }),
})

export async function bodyOf(reply: RpcReply): Promise<string> {
  if (typeof reply.body === 'string') return reply.body
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of reply.body) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** Returns the answer of `server` to one body. */
export const ask = async (text: string, server: RpcServer): Promise<string> =>
  bodyOf(await server(bytes(text), createContext()))

export function resultText(response: Awaited<ReturnType<RpcHandler>>): string {
  const { result } = response as RpcResult
  if (result === undefined || 'streaming' in result) throw new Error('a whole result was expected')
  return result.text()
}

export { createContext }
