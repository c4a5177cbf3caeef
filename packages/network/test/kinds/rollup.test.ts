import { evmMethods, evmProviderFacts } from '@wayleave/evm-types'
import {
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { derivedFrom } from '../../src/kinds/derived-from.ts'
import { composeStages } from '../../src/kinds/stage.ts'
import { evm } from '../../src/kinds/evm.ts'
import { rollup } from '../../src/kinds/evm.ts'
import type { NetworkSources } from '../../src/kinds/network-kind.ts'
import { call, rejectionOf, resultOf } from '../support.ts'

const hash = `0x${'ab'.repeat(32)}`
const l1 = (number: number) => ({ hash, number, parentHash: hash, timestamp: 1_700_000_000 + number })
const l2 = (number: number) => ({ ...l1(number), l1origin: { hash, number: 1 }, sequenceNumber: 0 })
const syncStatus = {
  current_l1: l1(10),
  head_l1: l1(12),
  safe_l1: l1(9),
  finalized_l1: l1(8),
  unsafe_l2: l2(100),
  safe_l2: l2(90),
  finalized_l2: l2(80),
}
const derived = {
  mode: 'verifier',
  syncing: false,
  ethContext: { blockNumber: 10, timestamp: 1_700_000_010 },
  rollupContext: { queueIndex: 0, index: 100, verifiedIndex: 90 },
}
const absent = { error: { code: -32601, message: 'the method rollup_getInfo does not exist/is not available' } }

const answering =
  (value: unknown): RpcHandler =>
  async () => ({ result: rawJsonFromValue(value) })

/** An execution node without `rollup_getInfo`. */
function executionNode(syncing: unknown = false): { readonly handler: RpcHandler; readonly calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    handler: async ({ method }) => {
      calls.push(method)
      return method === 'eth_syncing' ? { result: rawJsonFromValue(syncing) } : absent
    },
  }
}

const sourcesOf = (): NetworkSources => ({
  rollupNode: answering(syncStatus),
  rollupMode: 'verifier',
  clock: systemClock,
})

const ask = (upstream: RpcHandler, sources: Partial<NetworkSources> = {}) =>
  composeStages(rollup.rules({ ...sourcesOf(), ...sources }), upstream)(call('rollup_getInfo'), createContext())

describe('rollup_getInfo', () => {
  it('is passed on as it came where the upstream has it, and the rollup node is not asked', async () => {
    const text = '{"mode":"sequencer",  "extra":12345678901234567890}'
    const response = await ask(async () => ({ result: rawJsonFromText(text) }), {
      rollupNode: () => Promise.reject(new Error('asked')),
    })
    expect(response.result !== undefined && 'text' in response.result && response.result.text()).toBe(text)
  })

  it('is derived from the sync status where the upstream does not know it', async () => {
    const node = executionNode()
    const asked: string[] = []
    const rollupNode: RpcHandler = async ({ method, params }) => {
      asked.push(`${method} ${params?.text()}`)
      return { result: rawJsonFromValue(syncStatus) }
    }
    expect(resultOf(await ask(node.handler, { rollupNode }))).toEqual(derived)
    expect(asked).toEqual(['optimism_syncStatus []'])
    expect(node.calls).toEqual(['rollup_getInfo', 'eth_syncing'])
  })

  it('says that it is syncing where the execution node is', async () => {
    const progress = { currentBlock: '0x1', highestBlock: '0x2' }
    expect(resultOf(await ask(executionNode(progress).handler))).toEqual({ ...derived, syncing: true })
  })

  it.each([
    { lag: 64, syncing: false },
    { lag: 65, syncing: true },
  ])('says syncing $syncing where L1 is $lag blocks further than the rollup node', async ({ lag, syncing }) => {
    const behind = { ...syncStatus, head_l1: l1(10 + lag) }
    const info = await ask(executionNode().handler, { rollupNode: answering(behind) })
    expect(resultOf(info)).toEqual({ ...derived, syncing })
  })

  it.each<[string, RpcHandler, string]>([
    ['is active', answering(true), 'sequencer'],
    ['is not active', answering(false), 'verifier'],
    ['answers something else', answering('true'), 'verifier'],
    ['keeps its admin interface shut', async () => absent, 'verifier'],
    ['does not answer', () => Promise.reject(new RpcError('connect', 'no')), 'verifier'],
  ])('unless configured, has the mode of a sequencer that %s', async (_what, admin, mode) => {
    const rollupNode: RpcHandler = (request, context) =>
      request.method === 'admin_sequencerActive' ? admin(request, context) : answering(syncStatus)(request, context)
    const info = await ask(executionNode().handler, { rollupNode, rollupMode: undefined })
    expect(resultOf(info)).toEqual({ ...derived, mode })
  })

  it('says where it was derived from, and nothing where it was not', async () => {
    expect(derivedFrom.of((await ask(executionNode().handler)).meta)).toBe('optimism_syncStatus')
    expect((await ask(answering({ mode: 'verifier' }))).meta).toBeUndefined()
  })

  it('is of the mode that was configured', async () => {
    expect(resultOf(await ask(executionNode().handler, { rollupMode: 'sequencer' }))).toEqual({
      ...derived,
      mode: 'sequencer',
    })
  })

  it('is the error of the upstream without a rollup node', async () => {
    expect(await ask(executionNode().handler, { rollupNode: undefined })).toEqual(absent)
  })

  it('is any other error of the upstream as it came', async () => {
    const other = { error: { code: -32000, message: 'not ready' } }
    expect(await ask(async () => other)).toEqual(other)
  })

  it('is the error of the rollup node where that has none', async () => {
    const error = { error: { code: -32000, message: 'not synced' } }
    expect(await ask(executionNode().handler, { rollupNode: async () => error })).toEqual(error)
  })

  it('rejects as the rollup node does when that is down', async () => {
    const down = new RpcError('connect', 'no connection could be made (ECONNREFUSED)', { delivery: 'not_sent' })
    expect(await rejectionOf(ask(executionNode().handler, { rollupNode: () => Promise.reject(down) }))).toBe(down)
  })

  it.each([null, 7, {}, { ...syncStatus, safe_l2: undefined }, { ...syncStatus, current_l1: { number: '0x1' } }])(
    'rejects where the rollup node answers %j, which is no sync status',
    async (value) => {
      const why = await rejectionOf(ask(executionNode().handler, { rollupNode: answering(value) }))
      expect(why).toBeInstanceOf(RpcError)
      expect(why).toMatchObject({ code: 'invalid_response' })
    },
  )

  it('rejects as the upstream does', async () => {
    const down = new RpcError('unavailable', 'none of 2 upstreams answered')
    expect(await rejectionOf(ask(() => Promise.reject(down)))).toBe(down)
  })
})

describe('every other call', () => {
  it('of a rollup passes as it came', async () => {
    const handler = composeStages(rollup.rules(sourcesOf()), async ({ method }) => ({
      result: rawJsonFromValue(method),
    }))
    expect(resultOf(await handler(call('eth_chainId'), createContext()))).toBe('eth_chainId')
  })

  it('of an EVM network passes as it came, rollup_getInfo too', async () => {
    const handler = composeStages(evm.rules(sourcesOf()), async () => absent)
    expect(await handler(call('rollup_getInfo'), createContext())).toBe(absent)
    expect(evm.facts).toEqual({ ...evmProviderFacts, ...evmMethods })
  })
})

describe('optimism_syncStatus', () => {
  it('is answered by the rollup node where one is configured, else by the upstream', async () => {
    const node = executionNode()
    const normalise = (rollupNode: RpcHandler | undefined): RpcHandler =>
      composeStages(rollup.rules({ ...sourcesOf(), rollupNode }), node.handler)
    const answered = await normalise(answering(syncStatus))(call('optimism_syncStatus'), createContext())
    expect(resultOf(answered)).toEqual(syncStatus)
    expect(node.calls).toEqual([])
    await normalise(undefined)(call('optimism_syncStatus'), createContext())
    expect(node.calls).toEqual(['optimism_syncStatus'])
  })
})
