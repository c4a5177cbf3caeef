import { createContext, rawJsonFromValue, type RpcResponse } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { createCallConnections } from '../../src/endpoints/call-connections.ts'
import { call } from '../support.ts'

const answer: RpcResponse = { result: rawJsonFromValue('x') }

/** Connections whose calls wait until the test lets them go. */
function scene() {
  const asked: { readonly connection: number; answer(): void }[] = []
  const closed: number[] = []
  let opened = 0
  const connections = createCallConnections(() => {
    const connection = opened++
    const close = async (): Promise<void> => void closed.push(connection)
    return {
      handler: () => new Promise((resolve) => asked.push({ connection, answer: () => resolve(answer) })),
      close,
      [Symbol.asyncDispose]: close,
    }
  })
  const ask = (tenant: string | undefined) => connections.handler(call('a'), createContext({ tenant }))
  return { connections, asked, closed, ask, opened: () => opened }
}

it('the calls of one project go over one connection', async () => {
  const { asked, ask } = scene()
  const all = [ask('one'), ask('one'), ask('one')]
  expect(asked.map(({ connection }) => connection)).toEqual([0, 0, 0])
  for (const each of asked) each.answer()
  expect(await Promise.all(all)).toEqual([answer, answer, answer])
})

it('the calls of another project do not wait behind its answers', async () => {
  const { asked, ask } = scene()
  for (const tenant of ['one', 'two', undefined, 'one', 'two']) void ask(tenant)
  expect(asked.map(({ connection }) => connection)).toEqual([0, 1, 2, 0, 1])
})

it("a connection without calls is anybody's", async () => {
  const { asked, ask, opened } = scene()
  const first = ask('one')
  asked[0]!.answer()
  await first
  void ask('two')
  expect([asked[1]!.connection, opened()]).toEqual([0, 1])
})

it('there are four at most; then the one with the fewest calls is taken, and all are closed', async () => {
  const { connections, asked, closed, ask } = scene()
  for (const tenant of ['a', 'b', 'b', 'c', 'c', 'd', 'd', 'e']) void ask(tenant)
  expect(asked.map(({ connection }) => connection)).toEqual([0, 1, 1, 2, 2, 3, 3, 0])
  await connections.close()
  expect(closed).toEqual([0, 1, 2, 3])
})
