import { type RpcContext, type RpcMiddleware, systemClock } from '@wayleave/jsonrpc-core'
import { createChainView, createFairShare, createTurns } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { type CallMarks, type NetworkSettings, openNetwork, type OpenNetworkOptions } from '@wayleave/network'
import { createPipeline, type PipelineOptions } from '../../src/rpc/pipeline.ts'
import { unmetered } from '../support.ts'

const pass: RpcMiddleware<RpcContext> = (next) => next

/** Names the stages of a network with callers above, outermost first. */
async function stagesOf(
  settings: NetworkSettings,
  options: OpenNetworkOptions = {},
  ofCallers: Partial<PipelineOptions> = {},
): Promise<readonly string[]> {
  const network = await openNetwork(settings, options)
  const { stages } = createPipeline({
    network,
    apiVersion: undefined,
    prices: unmetered.prices,
    noteDenial() {},
    denyMethods: [],
    maxSubscriptions: 1,
    calls: createFairShare(100),
    onRefusedCall() {},
    maxBatchInFlight: 10,
    turns: createTurns({ nextTurn: (run) => void setImmediate(run) }),
    clock: systemClock,
    ...ofCallers,
  })
  await network.close()
  return stages
}

const upstreams = ['https://a.example', 'https://b.example', 'https://c.example']
const marks: CallMarks = {
  asked() {},
  answered() {},
  failed() {},
  entered() {},
  passed() {},
  joined() {},
  queued() {},
}

it('a call through a network with everything passes its stages in this order', async () => {
  const all = await stagesOf(
    {
      kind: 'rollup',
      chainId: 10,
      upstreams,
      rollupNode: 'https://rollup.example',
      consensus: { methods: ['eth_getBalance'] },
    },
    {
      marks,
      views: {
        open: (_network, options) => createChainView(options),
        askNetwork: async () => ({ error: { code: -32601, message: 'no node' } }),
      },
    },
    { trace: pass, watchCalls: pass, watchBatches: pass },
  )
  expect(all).toEqual([
    'trace',
    'count outcomes',
    'report lost calls of batches',
    'hold results',
    'meter',
    'authorize',
    'limit time',
    'limit batches',
    'limit calls in flight',
    'limit subscriptions',
    'pin to one block',
    // From here on the network's own list.
    'mark what was verified',
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
    'unsealed blocks',
    'one upstream for a sender',
    'watch subscriptions',
    'refuse ranges',
    'compare',
  ])
})

it('a network passes no stage of what it does not have, and one of Starknet notes the version of its callers', async () => {
  const settings = { kind: 'starknet', chainId: 'SN_MAIN', upstreams, followHeads: false, cache: false } as const
  expect(await stagesOf(settings)).toEqual([
    'hold results',
    'version of the interface',
    'meter',
    'authorize',
    'limit time',
    'limit batches',
    'limit calls in flight',
    'limit subscriptions',
    'pin to one block',
    'ids of subscriptions',
    'share reads in flight',
  ])
})
