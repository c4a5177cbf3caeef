import { type Clock, createContext, rawJsonFromValue, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { starknetMethods } from '@wayleave/starknet-types'
import { describe, expect, it } from 'vitest'
import { starknet } from '../../src/networks/starknet.ts'
import { translateStarknet } from '../../src/networks/starknet-translate.ts'
import { call, resultOf } from '../support.ts'

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
        return (request, context) => handler({ ...request, dialect: caller }, context)
      },
      read: 'starknet_blockNumber',
    })
    for (const law of laws) it(`${what}: ${law.name}`, law.run)
  }
})

it('a node that was upgraded is asked in its new words once it did not understand the old ones', async () => {
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
    handler({ ...call('starknet_getBlockTransactionCount', ['pending']), dialect: '0.5.1' }, createContext())
  expect(resultOf(await ask())).toBe(1)
  version = '0.9.0'
  now = 10_000
  expect((await ask()).error).toMatchObject({ code: -32602 })
  expect(resultOf(await ask())).toBe(1)
  expect(tags).toEqual(['pending', 'pending', 'pre_confirmed'])
})

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
