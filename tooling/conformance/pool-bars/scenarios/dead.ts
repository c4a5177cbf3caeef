import { setTimeout as sleep } from 'node:timers/promises'
import { perSecond, startLoad } from '../load/start-load.ts'
import { count, figure, ms } from '../measure/figure.ts'
import { busiest, chainId, startNodes } from '../nodes/start-nodes.ts'
import type { Scenario } from '../scenario.ts'

const mostWarmUpSeconds = 10
/** It is left long before, or another mechanism than the pool's first one is measured. */
const mostSeconds = 30
const sampleEveryMs = 50

export const dead: Scenario = {
  name: 'dead',
  does: 'the busiest of three is killed; its connections break, new ones are refused',
  async run({ product, seconds: asked, signal, onDelay }) {
    const seconds = Math.min(mostSeconds, asked)
    const warmUp = Math.min(mostWarmUpSeconds, seconds)
    await using stack = new AsyncDisposableStack()
    const nodes = await startNodes(stack, [{}, {}, {}])
    const gateway = stack.use(await product.start({ chainId, upstreams: nodes }))
    const loading = startLoad(gateway, { calls: (warmUp + seconds) * perSecond }, signal)
    loading.catch(() => {})
    await sleep(warmUp * 1_000, undefined, { signal })
    const { name, kill } = await busiest(nodes)
    // Calls that were on their way when it died are not counted: nobody could know.
    const before = await gateway.sent(name)
    await kill()
    const killedAt = performance.now()
    let sent = before
    let lastAt = killedAt
    while (performance.now() < killedAt + (seconds - 1) * 1_000) {
      await sleep(sampleEveryMs, undefined, { signal })
      const now = await gateway.sent(name)
      if (now > sent) lastAt = performance.now()
      sent = now
    }
    const { samples, ownDelay } = await loading
    onDelay(ownDelay)
    return [
      figure('calls sent to it after', sent - before, count, { most: 5 }),
      figure('the last one, after', lastAt - killedAt, ms, { most: 1_000 }),
      figure('failed calls', samples.filter(({ failure }) => failure !== '').length, count, { most: 0 }),
    ]
  },
}
