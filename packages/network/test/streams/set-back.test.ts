import { it, type TestContext } from 'vitest'
import { logAddress, startChainNode, testChain, type TestBlock } from '../chain-node.ts'
import { frame, openCalledNetwork } from '../callers.ts'
import { until } from '../support.ts'

/** A network over nodes, as development nodes are: blocks that leave their chain are gone. */
async function begin({ expect, onTestFinished }: TestContext, count = 1, height = 500) {
  const chain = testChain(height, { hasLogs: true })
  // To make ten thousand blocks takes longer than a subscriber waits for the first head.
  chain.block(height)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => {}))
  const upstreams = nodes.map(({ url, ws }) => ({ url, ws }))
  const { network, ask, openSocket } = await openCalledNetwork({ chainId: 1, upstreams }, { random: Math.random })
  onTestFinished(() => network.close())

  async function subscribe(...params: readonly unknown[]) {
    const socket = openSocket()
    socket.send(frame('eth_subscribe', params))
    expect(await socket.next()).toMatchObject({ result: expect.any(String) })
    const heights = (): number[] =>
      socket.messages.slice(1).map((text) => {
        const { number, blockNumber } = JSON.parse(text).params.result
        return Number(number ?? blockNumber)
      })
    return { socket, heights }
  }

  function mine(): void {
    chain.height++
    for (const node of nodes) node.pushHead()
  }

  function setBack(by: number): void {
    chain.height -= by
    chain.reorganize(chain.height)
    ;(chain.replaced as TestBlock[]).length = 0
    for (const node of nodes) node.pushHead()
  }

  return { chain, ask, subscribe, mine, setBack }
}

async function expectGoneOn([count, by]: readonly [number, number], context: TestContext): Promise<void> {
  const { expect } = context
  const { chain, ask, subscribe, mine, setBack } = await begin(context, count, by + 300)
  const old = [await subscribe('newHeads'), await subscribe('logs', { address: logAddress })]
  // Its caller does not notice that it is closed.
  old.push(await subscribe('newHeads'))
  const filters = [(await ask('eth_newBlockFilter')).result, (await ask('eth_newFilter', [{}])).result]
  for (let i = 0; i < 3; i++) {
    mine()
    await until(() => old.every(({ heights }) => heights().at(-1) === chain.height))
  }
  setBack(by)
  mine()
  await until(() =>
    old.every(({ socket, heights }) => socket.closed !== undefined || heights().at(-1) === chain.height),
  )
  for (const { socket } of old) expect(socket.closed?.code ?? 1013).toBe(1013)
  const next = [await subscribe('newHeads'), await subscribe('logs', { address: logAddress })]
  for (let i = 0; i < 5; i++) {
    mine()
    await until(() => next.every(({ heights }) => heights().at(-1) === chain.height))
  }
  for (const { socket } of next) expect(socket.closed).toBeUndefined()
  for (const id of filters) {
    const poll = async (): Promise<unknown> => (await ask('eth_getFilterChanges', [id])).error
    await expect.poll(poll, { timeout: 10_000 }).toMatchObject({ code: -32_000, message: 'filter not found' })
  }
}

const title =
  'where %i nodes are set back by %i blocks, streams close or go on, new ones are told, and filters are gone'
const cases = [5, 50, 150, 200].flatMap((by) => [1, 2].map((count) => [count, by] as const))
it.concurrent.for(cases)(title, { timeout: 60_000 }, expectGoneOn)
// To make their blocks keeps the process busy.
it.for([1, 2].map((count) => [count, 10_000] as const))(title, { timeout: 60_000 }, expectGoneOn)

it('goes on over blocks that a reorganisation took back, where it told all of them', async (context) => {
  const { expect } = context
  const { chain, subscribe, mine, setBack } = await begin(context)
  const { height } = chain
  const { socket, heights } = await subscribe('newHeads')
  for (let i = 0; i < 10; i++) {
    mine()
    await until(() => heights().at(-1) === chain.height)
  }
  setBack(6)
  mine()
  await until(() => heights().length === 11)
  expect([heights().at(-1), socket.closed]).toEqual([height + 5, undefined])
})
