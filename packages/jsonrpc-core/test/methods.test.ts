import { createContext, createMethods, createRpcServer, method, RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { anything, array, integer, object, optional, text, tuple } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, it } from 'vitest'
import { bodyOf, bytes } from './support.ts'

const pair = tuple<readonly [number, number]>(integer('a number'), integer('a number'))
const none = tuple<readonly []>()

const methods = {
  add: method({ params: pair, handler: ([a, b]) => a + b }),
  named: method({
    params: object<{ readonly name: string; readonly title?: string }>('a person', {
      name: text('a name'),
      title: optional(text('a title')),
    }),
    handler: async ({ name, title = 'Dr' }) => `${title} ${name}`,
  }),
  nothing: method({ params: none, handler: () => undefined }),
  find: method({
    params: array(anything),
    errors: { missing: { code: 404, message: 'there is none' } },
    handler: ([id], { fail }) => (id === 1 ? 'found' : fail('missing', { id })),
  }),
  throws: method({
    params: none,
    handler: (): null => {
      throw new Error('password: hunter2')
    },
  }),
  rejects: method({ params: none, handler: () => Promise.reject<null>(new Error('password: hunter2')) }),
  peer: method({
    params: none,
    handler: (): null => {
      throw new RpcError('rpc', 'a peer', { rpc: { code: 3, message: 'words of a peer' } })
    },
  }),
  denies: method({
    params: none,
    handler: (): null => {
      throw new RpcError('denied', 'not on Sundays')
    },
  }),
  unprintable: method({ params: none, handler: () => 1n }),
  waits: method({ params: none, handler: () => new Promise<null>(() => {}) }),
}

const bugs: unknown[] = []
const server = createRpcServer(createMethods(methods), { onInternalError: (thrown) => bugs.push(thrown) })

async function ask(name: string, params?: unknown, context = createContext()): Promise<Record<string, unknown>> {
  const reply = await server(bytes(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params })), context)
  const { jsonrpc: _version, id: _id, ...outcome } = JSON.parse(await bodyOf(reply)) as Record<string, unknown>
  return outcome
}

describe('a table of methods', () => {
  it('answers with what a method returns, also later, and with null where that is nothing', async () => {
    expect(await ask('add', [1, 2])).toEqual({ result: 3 })
    expect(await ask('named', { name: 'Who' })).toEqual({ result: 'Dr Who' })
    expect(await ask('nothing')).toEqual({ result: null })
    expect(await ask('nothing', [])).toEqual({ result: null })
  })

  it.each(['subtract', 'toString', 'constructor', '__proto__', 'hasOwnProperty', ''])(
    'answers that %j is no method, as -32601',
    async (name) => {
      expect(await ask(name)).toEqual({ error: { code: -32601, message: `the method ${name} does not exist` } })
    },
  )

  it.each([
    { name: 'add', params: [1, '2'], message: 'invalid params[1]: expected a number, got "2"' },
    { name: 'add', params: [1, 2, 3], message: 'invalid params: expected at most 2 elements, got 3' },
    { name: 'add', params: undefined, message: 'invalid params[0]: expected a number, got nothing' },
    {
      name: 'add',
      params: { a: 1 },
      message: 'invalid params: expected an array of a number, a number, got an object',
    },
    { name: 'named', params: {}, message: 'invalid params.name: expected a name, got nothing' },
  ])('refuses params that do not fit as -32602, with their place: $message', async ({ name, params, message }) => {
    expect(await ask(name, params)).toEqual({ error: { code: -32602, message } })
  })

  it('answers with an error of the method itself, by its name', async () => {
    expect(await ask('find', [1])).toEqual({ result: 'found' })
    expect(await ask('find', [2])).toEqual({ error: { code: 404, message: 'there is none', data: { id: 2 } } })
  })

  it.each(['throws', 'rejects', 'unprintable', 'peer'])(
    'keeps inside what %s throws, and hands it to the hook',
    async (name) => {
      bugs.length = 0
      const answer = await ask(name)
      expect(answer).toEqual({ error: { code: -32603, message: 'internal error' } })
      expect(bugs).toHaveLength(1)
      if (name === 'peer') expect(bugs[0]).toMatchObject({ cause: { code: 'rpc' } })
      else expect(bugs[0]).not.toBeInstanceOf(RpcError)
    },
  )

  it('reports a denial in its own words', async () => {
    expect(await ask('denies')).toEqual({ error: { code: -32002, message: 'not on Sundays' } })
  })

  it('answers a call whose method does not end once its time is over', async () => {
    const clock = new FakeClock()
    const asked = ask('waits', [], createContext({ clock, timeoutMs: 1_000 }))
    clock.advance(1_000)
    expect(await asked).toEqual({ error: { code: -32002, message: 'request timed out' } })
  })
})
