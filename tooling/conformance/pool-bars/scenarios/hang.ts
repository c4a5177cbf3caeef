import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../starvation/measure/percentile.ts'
import { perSecond, startLoad } from '../load/start-load.ts'
import { count, figure, ms, percent, times } from '../measure/figure.ts'
import { busiest, chainId, startNodes } from '../nodes/start-nodes.ts'
import type { Scenario } from '../scenario.ts'

/** Time in which the gateway gets to know its upstreams, and the compiler its code, in ms. */
const warmUpMs = 5_000
/** The longest time of health that p99 is compared with, in ms. */
const mostHealthyMs = 10_000
/** From here on after the hang p99 has a bar, in ms. */
const settledMs = 3_000

export const hang: Scenario = {
  name: 'hang',
  does: 'the busiest of three is paused; its connections stay, it answers nothing',
  async run({ product, seconds, signal, onDelay }) {
    const healthyMs = Math.min(mostHealthyMs, seconds * 1_000)
    await using stack = new AsyncDisposableStack()
    const nodes = await startNodes(stack, [{}, {}, {}])
    const gateway = stack.use(await product.start({ chainId, upstreams: nodes }))
    const calls = ((warmUpMs + healthyMs) / 1_000 + seconds) * perSecond
    const loading = startLoad(gateway, { calls }, signal)
    loading.catch(() => {})
    await sleep(warmUpMs + healthyMs, undefined, { signal })
    const { pause } = await busiest(nodes)
    const hungAt = performance.timeOrigin + performance.now()
    pause()
    const { samples, ownDelay } = await loading
    onDelay(ownDelay)
    const from = (since: number, until: number) => samples.filter(({ due }) => due >= since && due < until)
    const p99 = (since: number, until: number): number =>
      percentile(
        from(since, until).map((it) => it.ms),
        99,
      )
    // Those that were on their way when it was paused are hit by it, too.
    const after = samples.filter(({ due, ms: took }) => due + took >= hungAt)
    const slow = after.filter((it) => it.ms > 1_000)
    const healthy = p99(hungAt - healthyMs, hungAt - 100)
    const settled = p99(hungAt + settledMs, Number.POSITIVE_INFINITY)
    return [
      figure('calls over 1 s', slow.length / after.length, percent, { most: 0.01 }),
      figure('p99 from the third second on, against p99 before', settled / healthy, times, { most: 2 }),
      figure('p99 before', healthy, ms),
      figure('p99 from the third second on', settled, ms),
      figure('slowest call', Math.max(...after.map((it) => it.ms)), ms),
      figure('failed calls', after.filter(({ failure }) => failure !== '').length, count),
    ]
  },
}
