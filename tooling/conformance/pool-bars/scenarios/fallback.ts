import { setTimeout as sleep } from 'node:timers/promises'
import { readText } from '../gateways/metrics.ts'
import { perSecond, startLoad } from '../load/start-load.ts'
import { count, figure } from '../measure/figure.ts'
import { chainId, startNodes } from '../nodes/start-nodes.ts'
import type { Scenario } from '../scenario.ts'

/** A rate of 60 an hour shows in no less: one call in half a minute would look like 120. */
const idleSeconds = 180
/** A balancer's pace. */
const healthEveryMs = 5_000

export const fallback: Scenario = {
  name: 'fallback',
  does: 'two healthy primaries and a fallback: all calls that it gets, under load, and idle behind a balancer that asks for health',
  async run({ product, seconds, signal, onDelay }) {
    await using stack = new AsyncDisposableStack()
    const nodes = await startNodes(stack, [{}, {}, {}])
    const upstreams = nodes.map(({ name, url }, i) => ({ name, url, ...(i === 2 && { tier: 'fallback' as const }) }))
    const gateway = stack.use(await product.start({ chainId, upstreams }))
    const atStart = await nodes[2]!.figures()
    onDelay((await startLoad(gateway, { calls: seconds * perSecond }, signal)).ownDelay)
    const loaded = await nodes[2]!.figures()
    const until = performance.now() + idleSeconds * 1_000
    while (performance.now() < until) {
      await readText(gateway.healthUrl)
      await sleep(Math.min(healthEveryMs, Math.max(0, until - performance.now())), undefined, { signal })
    }
    const idle = await nodes[2]!.figures()
    const perMinute = (loaded.calls - atStart.calls) * (60 / seconds)
    const perHour = (idle.calls - loaded.calls) * (3_600 / idleSeconds)
    return [
      figure('calls a minute at 100 calls/s', perMinute, count, { most: 2 }),
      figure(`calls an hour when idle, from ${idleSeconds} s`, perHour, count, { most: 60 }),
      figure('calls while the gateway started', atStart.calls, count),
    ]
  },
}
