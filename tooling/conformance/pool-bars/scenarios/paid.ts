import { perSecond, startLoad } from '../load/start-load.ts'
import { figure, percent } from '../measure/figure.ts'
import { chainId, startNodes } from '../nodes/start-nodes.ts'
import type { Scenario } from '../scenario.ts'

/** The price that an upstream with a budget has by default. */
const price = 3

export const paid: Scenario = {
  name: 'paid',
  does: `two own nodes of 5 ms, and a paid one of 15 ms of the same tier, with a price of ${price}`,
  async run({ product, seconds, signal, onDelay }) {
    await using stack = new AsyncDisposableStack()
    const nodes = await startNodes(stack, [{ medianMs: 5 }, { medianMs: 5 }, { medianMs: 15 }])
    const upstreams = nodes.map((node, i) => ({ name: node.name, url: node.url, ...(i === 2 && { price }) }))
    const gateway = stack.use(await product.start({ chainId, upstreams }))
    const calls = seconds * perSecond
    onDelay((await startLoad(gateway, { calls }, signal)).ownDelay)
    const { reads } = await nodes[2]!.figures()
    return [figure('calls at the paid one', reads / calls, percent, { most: 0.05 })]
  },
}
