import { setTimeout as sleep } from 'node:timers/promises'
import { startLoad } from '../load/start-load.ts'
import { count, figure, percent } from '../measure/figure.ts'
import { chainId, type PoolNode, startNodes } from '../nodes/start-nodes.ts'
import type { Scenario } from '../scenario.ts'

const failing = 0.1
const sampleEveryMs = 200

const readsOf = async (nodes: readonly PoolNode[]): Promise<number> =>
  (await Promise.all(nodes.map((node) => node.figures()))).reduce((sum, { reads }) => sum + reads, 0)

export const flaky: Scenario = {
  name: 'flaky',
  does: 'each of three answers 10 % of its calls with status 500, on its own',
  async run({ product, calls, signal, onDelay }) {
    await using stack = new AsyncDisposableStack()
    const nodes = await startNodes(stack, [{ failing }, { failing }, { failing }])
    const gateway = stack.use(await product.start({ chainId, upstreams: nodes }))
    const sampling = new AbortController()
    const loading = startLoad(gateway, { calls }, signal).finally(() => sampling.abort())
    loading.catch(() => {})
    let mostOpen = await gateway.openBreakers()
    while (!sampling.signal.aborted) {
      await sleep(sampleEveryMs, undefined, { signal })
      const open = await gateway.openBreakers()
      if (open !== undefined) mostOpen = Math.max(mostOpen ?? 0, open)
    }
    const { samples, ownDelay } = await loading
    onDelay(ownDelay)
    const answered = samples.filter(({ failure }) => failure === '').length
    const extra = (await readsOf(nodes)) / calls - 1
    return [
      figure(`of ${count(calls)} reads succeed`, answered / calls, percent, { least: 0.9999 }),
      figure('extra calls at the nodes, with hedges', extra, percent, { most: 0.17 }),
      ...(mostOpen === undefined ? [] : [figure('circuit breakers open at once', mostOpen, count, { most: 0 })]),
    ]
  },
}
