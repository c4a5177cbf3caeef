import {
  createContext,
  createRpcServer,
  defineExtension,
  rawJsonFromText,
  type RpcHandler,
  type RpcMeta,
} from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'

const long = `"${'a'.repeat(70_000)}"`

const derivedFrom = defineExtension<string>('derivedFrom')

/** Answers by method; all but `plain` and `bare` have marks. */
const handler: RpcHandler = async ({ method }) => {
  if (method === 'bare') return { result: rawJsonFromText('1') }
  if (method === 'failed') return { error: { code: 3, message: 'no' }, meta: derivedFrom.on({}, method) }
  const meta: RpcMeta = method === 'plain' ? { endpoint: 'one' } : derivedFrom.on({}, method)
  return { result: rawJsonFromText(method === 'long' ? long : '1'), meta }
}

const server = createRpcServer(handler, {
  extraMembers: (meta) => {
    const method = derivedFrom.of(meta)
    return method === undefined ? undefined : { wayleave: { derivedFrom: method } }
  },
})

async function textOf(body: string): Promise<string> {
  const reply = await server(new TextEncoder().encode(body), createContext())
  if (typeof reply.body === 'string') return reply.body
  return Buffer.concat(reply.body as readonly Uint8Array[]).toString()
}

const call = (method: string, id = 1): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`

it('prints the further members of a result beside it, and nothing where there are none', async () => {
  expect(await textOf(call('short'))).toBe('{"jsonrpc":"2.0","id":1,"result":1,"wayleave":{"derivedFrom":"short"}}')
  expect(await textOf(call('long'))).toBe(`{"jsonrpc":"2.0","id":1,"result":${long},"wayleave":{"derivedFrom":"long"}}`)
  for (const method of ['plain', 'bare']) {
    expect(await textOf(call(method))).toBe('{"jsonrpc":"2.0","id":1,"result":1}')
  }
  expect(await textOf(call('failed'))).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"no"}}')
})

it('prints them in a batch too', async () => {
  expect(JSON.parse(await textOf(`[${call('short', 1)},${call('plain', 2)}]`))).toEqual([
    { jsonrpc: '2.0', id: 1, result: 1, wayleave: { derivedFrom: 'short' } },
    { jsonrpc: '2.0', id: 2, result: 1 },
  ])
})

it('tells its host the meta of a single call', async () => {
  const reply = await createRpcServer(handler)(new TextEncoder().encode(call('short')), createContext())
  expect(reply).toMatchObject({ body: '{"jsonrpc":"2.0","id":1,"result":1}' })
  expect(derivedFrom.of(reply.meta)).toBe('short')
})

it('prints nothing more where there is no further member', async () => {
  for (const extra of [{}, { wayleave: undefined }]) {
    const reply = await createRpcServer(handler, { extraMembers: () => extra })(
      new TextEncoder().encode(call('short')),
      createContext(),
    )
    expect(reply.body).toBe('{"jsonrpc":"2.0","id":1,"result":1}')
  }
})
