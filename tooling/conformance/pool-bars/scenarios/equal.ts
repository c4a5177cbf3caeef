import { perSecond, startLoad } from '../load/start-load.ts'
import { figure, percent } from '../measure/figure.ts'
import { chainId, startNodes } from '../nodes/start-nodes.ts'
import type { Scenario } from '../scenario.ts'

export const equal: Scenario = {
  name: 'equal',
  does: 'three nodes that are alike',
  async run({ product, seconds, signal, onDelay }) {
    await using stack = new AsyncDisposableStack()
    const nodes = await startNodes(stack, [{}, {}, {}])
    const gateway = stack.use(await product.start({ chainId, upstreams: nodes }))
    onDelay((await startLoad(gateway, { calls: seconds * perSecond }, signal)).ownDelay)
    const reads = (await Promise.all(nodes.map((node) => node.figures()))).map((it) => it.reads)
    const sum = reads.reduce((a, b) => a + b, 0)
    return [figure('least share of the calls', Math.min(...reads) / sum, percent, { least: 0.25 })]
  },
}
