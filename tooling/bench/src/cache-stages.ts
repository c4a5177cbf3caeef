import { networkKinds } from '@wayleave/network/internal/kinds/index'
import { createMetrics } from '@wayleave/gateway/internal/telemetry/metrics'
import { createCacheStage } from '@wayleave/network/internal/cache/cache-stage'
import type { Chain } from '@wayleave/network/internal/heads/chain'
import { rawJsonFromText, type RpcContext, type RpcHandler, type RpcRequest, systemClock } from '@wayleave/jsonrpc-core'
import { createMemoryStore } from '@wayleave/rpc-cache'
import type { HeadUpdate } from '@wayleave/upstream'
import type { Stage } from './time-stages.ts'

const head = { number: 20_000_000, hash: `0x${'ab'.repeat(32)}` }

/** The cache around a node that answers at once, under a head that stands still: a call that it has, one that it has not, one that passes. */
export function createCacheStages(context: RpcContext): readonly Stage[] {
  const view = {
    head,
    finalized: { number: head.number - 64, hash: `0x${'cd'.repeat(32)}` },
    // The head must not grow old while it is measured.
    blockTimeMs: 3_600_000,
    wanted() {},
    watch(listener: (update: Pick<HeadUpdate, 'kind' | 'at'>) => void) {
      listener({ kind: 'new', at: head })
      return () => {}
    },
    of: () => ({ health: 'good', chain: '0x1', isStrange: false, isLost: false, head }),
  }
  const { evm } = networkKinds
  const metrics = createMetrics()
  const { wrap } = createCacheStage({
    partition: 'bench',
    kind: evm,
    cache: evm.cache!,
    reader: evm.heads('0x1'),
    chain: { view, headToPin: () => head, pollSoon() {} } as unknown as Chain,
    life: { rewritten: { isRewritten: false, final: undefined, epoch: undefined, note() {} }, written: new Set() },
    store: createMemoryStore({ maxBytes: 16 * 1024 * 1024 }),
    verified: undefined,
    keepsUnproven: true,
    hashAt: async () => undefined,
    onOutcome: (outcome, method, bytes) => metrics.cacheAnswered('bench', outcome, method, bytes),
    clock: systemClock,
  })
  const node: RpcHandler = async () => ({ result: rawJsonFromText('"0x1234"'), meta: { endpoint: 'bench' } })
  const cached = wrap(node, undefined)
  let account = 0
  return [
    {
      name: 'cache, a hit',
      allowanceMicros: 2,
      isAside: true,
      run: () => cached(balanceOf(0, 'latest'), context),
    },
    {
      name: 'cache, a miss',
      allowanceMicros: 20,
      isAside: true,
      run: () => cached(balanceOf(++account, 'latest'), context),
    },
    { name: 'cache, passed', allowanceMicros: 2, run: () => cached(balanceOf(0, 'pending'), context) },
  ]
}

/** A new call each time, as a caller's is. Printing it counts, too. */
function balanceOf(account: number, block: string): RpcRequest {
  const params = [`0x${account.toString(16).padStart(40, '0')}`, block]
  return { method: 'eth_getBalance', params: rawJsonFromText(`["${params.join('","')}"]`, params), notification: false }
}
