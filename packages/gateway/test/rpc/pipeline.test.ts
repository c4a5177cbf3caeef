import { type RpcContext, type RpcMiddleware, systemClock } from '@wayleave/jsonrpc-core'
import { createFairShare, createTurns } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import type { CacheStage, NetworkKind } from '@wayleave/network'
import { networkKinds } from '@wayleave/network/internal/kinds/index'
import { starknet } from '@wayleave/network/internal/kinds/starknet'
import { createPipeline, type PipelineOptions } from '../../src/rpc/pipeline.ts'
import { unmetered } from '../support.ts'

const pass: RpcMiddleware<RpcContext> = (next) => next
const cache: CacheStage = { wrap: (handler) => handler, close() {} }

/** Names the stages of a kind of network, outermost first. */
function stagesOf(kind: NetworkKind, options: Partial<PipelineOptions> = {}): readonly string[] {
  const { stages } = createPipeline({
    kind,
    apiVersion: undefined,
    pool: { asking: async () => ({ error: { code: -32601, message: 'no node' } }) },
    prices: unmetered.prices,
    canPush: false,
    rollupNode: undefined,
    rollupMode: undefined,
    noteDenial() {},
    denyMethods: [],
    maxSubscriptions: 1,
    maxSharedBytes: 1_000,
    calls: createFairShare(100),
    onRefusedCall() {},
    maxBatchInFlight: 10,
    turns: createTurns({ nextTurn: (run) => void setImmediate(run) }),
    clock: systemClock,
    ...options,
  })
  return stages
}

const ofCallers = ['hold results', 'meter', 'authorize', 'limit time', 'limit batches', 'limit calls in flight']

it('a call through a network with everything passes its stages in this order', () => {
  const all = stagesOf(networkKinds.rollup, {
    trace: pass,
    watchCalls: pass,
    watchBatches: pass,
    cache,
    filters: pass,
    streams: pass,
    logs: networkKinds.rollup.logs!({ clock: systemClock, headOf: () => undefined }),
    shareOwnQuestions: pass,
    pool: {
      asking: async () => ({ error: { code: -32601, message: 'no node' } }),
      stages: { oneView: pass, keepSenders: pass, watchSubscriptions: pass, refuseRanges: pass, compare: pass },
    },
  })
  expect(all).toEqual([
    'trace',
    'count outcomes',
    'report lost calls of batches',
    ...ofCallers,
    'limit subscriptions',
    'pin to one block',
    'ids of subscriptions',
    'the block of eth_getBlockReceipts',
    'the block of eth_getStorageAt',
    'the most gas',
    'rollup_getInfo of the rollup node',
    'the rollup node',
    'filters',
    'streams',
    'logs of any range',
    'mark the entry',
    'cache',
    'mark the pass',
    'share reads in flight',
    'share own questions',
    'one view',
    'one upstream for a sender',
    'watch subscriptions',
    'refuse ranges',
    'compare',
  ])
})

it('a network passes no stage of what it does not have, and one of Starknet notes the version of its callers', () => {
  const [first, ...further] = ofCallers
  expect(stagesOf(starknet)).toEqual([
    first,
    'version of the interface',
    ...further,
    'limit subscriptions',
    'pin to one block',
    'ids of subscriptions',
    'share reads in flight',
  ])
})
