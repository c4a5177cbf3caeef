import {
  type Clock,
  createContext,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  systemClock,
} from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { starknetMethods } from '@wayleave/starknet-types'
import { describe, expect, it } from 'vitest'
import { starknet } from '../../src/kinds/starknet.ts'
import { translateStarknet } from '../../src/kinds/starknet-translate.ts'
import { call, resultOf } from '../support.ts'
import { withHints } from '../../src/hints/call-hints.ts'

const options = { clock: systemClock, maxBytes: 1_000_000, onNewer: () => {} }

/** One endpoint over a node, as every caller may ask it. */
function translated(node: RpcHandler, clock: Clock = systemClock): RpcHandler {
  const endpoint = { name: 'a', handler: node, carriesSubscriptions: false }
  return translateStarknet([endpoint], { ...options, clock }).endpoints[0]!.handler
}

/** Tells its version, and gives everything else to `node`. */
const speaking =
  (version: string, node: RpcHandler): RpcHandler =>
  (request, context) =>
    request.method === 'starknet_specVersion'
      ? Promise.resolve({ result: rawJsonFromValue(version) })
      : node(request, context)

describe('an endpoint that translates obeys the laws of a handler', () => {
  for (const [what, caller] of [
    ['for a caller of another version', '0.5.1'],
    ['for a caller of its own version', '0.8'],
  ] as const) {
    const laws = handlerLaws({
      create: (peer) => {
        const handler = translated(speaking('0.8.1', peerHandler(peer)))
        return (request, context) => handler(withHints(request, { apiVersion: caller }), context)
      },
      read: 'starknet_blockNumber',
    })
    for (const law of laws) it(`${what}: ${law.name}`, law.run)
  }
})

it('a node that was upgraded is asked at once in its new words where it did not understand the old ones', async () => {
  let now = 0
  let version = '0.8.1'
  const tags: unknown[] = []
  const node: RpcHandler = async ({ method, params }) => {
    if (method === 'starknet_specVersion') return { result: rawJsonFromValue(version) }
    const [tag] = params!.value() as [unknown]
    tags.push(tag)
    const known = version === '0.8.1' ? 'pending' : 'pre_confirmed'
    return tag === known ? { result: rawJsonFromValue(1) } : { error: { code: -32602, message: 'Invalid params' } }
  }
  const handler = translated(node, { ...systemClock, now: () => now })
  const ask = () =>
    handler(withHints(call('starknet_getBlockTransactionCount', ['pending']), { apiVersion: '0.5.1' }), createContext())
  expect(resultOf(await ask())).toBe(1)
  version = '0.9.0'
  now = 10_000
  expect(resultOf(await ask())).toBe(1)
  expect(resultOf(await ask())).toBe(1)
  expect(tags).toEqual(['pending', 'pending', 'pre_confirmed', 'pre_confirmed'])
})

it('a call that is wrong in every version is asked once, and its error kept where the version cannot be asked', async () => {
  let now = 0
  const asked: string[] = []
  const node: RpcHandler = async ({ method }) => {
    asked.push(method)
    if (method !== 'starknet_specVersion') return { error: { code: -32602, message: 'Invalid params' } }
    if (now > 10_000) throw new RpcError('connect', 'gone')
    return { result: rawJsonFromValue('0.8.1') }
  }
  const handler = translated(node, { ...systemClock, now: () => now })
  for (now of [0, 10_000, 20_001]) {
    const { error } = await handler(withHints(call('starknet_blockNumber'), { apiVersion: '0.5.1' }), createContext())
    expect(error).toMatchObject({ code: -32602 })
  }
  const [version, number] = ['starknet_specVersion', 'starknet_blockNumber']
  expect(asked).toEqual([version, number, number, version, number, version])
})

it('a write is said again only where the node understood nothing of it', async () => {
  for (const [answer, times] of [
    [{ result: rawJsonFromValue(null) }, 1],
    [{ error: { code: -32603, message: 'Internal error' } }, 1],
    [{ error: { code: 61, message: 'the transaction version is not supported' } }, 1],
    [{ error: { code: -32602, message: 'Invalid params' } }, 2],
  ] as const) {
    let [now, version, sent] = [0, '0.7.1', 0]
    const node: RpcHandler = async ({ method }) => {
      if (method === 'starknet_specVersion') return { result: rawJsonFromValue(version) }
      if (method !== 'starknet_blockNumber') sent++
      return method === 'starknet_blockNumber' ? { result: rawJsonFromValue(1) } : answer
    }
    const handler = translated(node, { ...systemClock, now: () => now })
    const ask = (method: string) => handler(withHints(call(method, [{}]), { apiVersion: '0.5.1' }), createContext())
    await ask('starknet_blockNumber')
    ;[now, version] = [10_000, '0.9.0']
    await ask('starknet_addInvokeTransaction')
    expect(sent).toBe(times)
  }
})

it.each([
  ['0.8', ['0.7.1', '0.8.1', '0.9.0'], ['0.8.1']],
  ['0.8', ['0.7.1', '0.9.0', '0.10.0'], ['0.9.0', '0.10.0']],
  ['0.10', ['0.7.1', '0.9.0', '0.8.1', '0.9.1'], ['0.9.0', '0.9.1']],
  ['0.5.1', ['0.9.0', '0.8.1'], ['0.9.0', '0.8.1']],
])(
  'a caller of %s is best served by a node that says all he may ask: of %j by %j',
  async (dialect, reported, preferred) => {
    const nodes = reported.map((version) => ({
      name: version,
      handler: speaking(version, async () => ({ result: rawJsonFromValue(1) })),
      carriesSubscriptions: false,
    }))
    const { endpoints, prefers } = translateStarknet(nodes, options)
    const request = withHints(call('starknet_blockNumber'), { apiVersion: dialect })
    const best = (): readonly string[] => endpoints.filter((each) => prefers(each, request)).map(({ name }) => name)
    expect(best()).toEqual([])
    for (const { handler } of endpoints) await handler(request, createContext())
    expect(best()).toEqual(preferred)
  },
)

it('what the gateway asks for itself passes in its own words', async () => {
  const handler = translated(async ({ method }) => ({ result: rawJsonFromValue(method) }))
  expect(resultOf(await handler(call('starknet_specVersion'), createContext()))).toBe('starknet_specVersion')
})

it('a method does the same to a chain in every version that has it, so one table holds for all', () => {
  const tables = Object.values(starknetMethods) as readonly MethodFacts[]
  for (const table of tables) {
    for (const [method, { effect, subscription }] of Object.entries(table)) {
      expect(starknet.facts[method], method).toMatchObject({ effect })
      expect(starknet.facts[method]!.subscription?.event, method).toBe(subscription?.event)
    }
  }
  const writes = Object.keys(starknet.facts).filter((method) => starknet.facts[method]!.effect === 'write')
  expect(writes.toSorted()).toEqual([
    'starknet_addDeclareTransaction',
    'starknet_addDeployAccountTransaction',
    'starknet_addInvokeTransaction',
  ])
})
