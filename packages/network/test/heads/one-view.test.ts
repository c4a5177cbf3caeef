import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain, type TestChain } from '../chain-node.ts'
import { type CalledNetwork, frame, openCalledNetwork } from '../callers.ts'
import { sleep } from '../support.ts'

const height = 500
const sender = `0x${'ab'.repeat(20)}`

/** An answer; a block has the members of its result. */
interface Reported {
  readonly result?: string & { readonly number?: string; readonly hash?: string }
  readonly error?: { readonly code: number; readonly message: string }
}

interface Scene {
  readonly chain: TestChain
  readonly a: ChainNode
  readonly b: ChainNode
  readonly openSocket: CalledNetwork['openSocket']
  ask(method: string, params?: readonly unknown[]): Promise<Reported>
}

/** Two nodes of one chain, further ones with `count`, and callers that are spread over them, or ask the first one first. */
async function begin({ count = 2, hasSockets = false, isSpread = true } = {}): Promise<
  Scene & { readonly nodes: readonly ChainNode[] }
> {
  const chain = testChain(height)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  const upstreams = nodes.map(({ url, ws }) => ({ url, ...(hasSockets && { ws }) }))
  const { network, ask, openSocket } = await openCalledNetwork(
    { chainId: 1, upstreams },
    isSpread ? { random: Math.random } : {},
  )
  onTestFinished(() => network.close())
  return {
    chain,
    nodes,
    a: nodes[0]!,
    b: nodes[1]!,
    openSocket,
    ask: (method, params) => ask(method, params) as Promise<Reported>,
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`

/** Asks for the head in three ways, one after the other. */
async function heads({ ask }: Scene): Promise<readonly number[]> {
  const number = Number((await ask('eth_blockNumber')).result)
  const block = await ask('eth_getBlockByNumber', ['latest', false])
  const reported = await ask('eth_getBlockByNumber', [hex(number), false])
  return [number, Number(block.result?.number), Number(reported.result?.number)]
}

it('heads never go back, whichever of two nodes a block apart answers, and every head that was told can be read', async () => {
  const scene = await begin()
  scene.b.lag = 1
  let highest = 0
  for (let i = 0; i < 60; i++) {
    if (i % 6 === 5) scene.chain.height++
    // Now this node is first, now the other.
    if (i === 30) [scene.a.lag, scene.b.lag] = [1, 0]
    const [number, latest, reported] = await heads(scene)
    expect(number).toBeGreaterThanOrEqual(highest)
    expect(latest).toBeGreaterThanOrEqual(number!)
    expect(reported).toBe(number)
    highest = latest!
  }
  expect(highest).toBeGreaterThanOrEqual(height + 9)
})

it('a block that was told is asked of another node where one has gone back below it', async () => {
  const { a, ask, chain } = await begin({ isSpread: false })
  const reported = hex(chain.height)
  for (let i = 0; i < 5; i++)
    expect((await ask('eth_getBlockByNumber', [reported, false])).result?.number).toBe(reported)
  a.lag = 1
  const before = a.calls.length
  for (let i = 0; i < 5; i++)
    expect((await ask('eth_getBlockByNumber', [reported, false])).result?.number).toBe(reported)
  expect(a.calls.slice(before)).toContain('eth_getBlockByNumber')
})

it('the pending nonce of a sender never goes back', async () => {
  const scene = await begin()
  const nonces = { a: 43, b: 43 }
  for (const name of ['a', 'b'] as const) {
    scene[name].answer = (method) => (method === 'eth_getTransactionCount' ? { result: hex(nonces[name]) } : undefined)
  }
  let highest = 0
  for (let i = 0; i < 30; i++) {
    if (i === 5) nonces.a = 44
    if (i === 15) nonces.b = 45
    if (i === 20) nonces.a = 45
    const { result } = await scene.ask('eth_getTransactionCount', [sender, 'pending'])
    expect(Number(result)).toBeGreaterThanOrEqual(highest)
    highest = Number(result)
  }
  expect(highest).toBe(45)
})

it('a nonce that no upstream confirms any more is an error that says so, and counts for its sender alone', async () => {
  const scene = await begin()
  scene.a.answer = scene.b.answer = (method) => (method === 'eth_getTransactionCount' ? { result: '0x2c' } : undefined)
  expect((await scene.ask('eth_getTransactionCount', [sender, 'pending'])).result).toBe('0x2c')
  scene.a.answer = scene.b.answer = (method) => (method === 'eth_getTransactionCount' ? { result: '0x2b' } : undefined)
  const { error } = await scene.ask('eth_getTransactionCount', [sender.toUpperCase().replace('X', 'x'), 'pending'])
  expect(error).toMatchObject({
    code: -32603,
    message: 'no upstream that answers has the transactions of this sender up to nonce 44 yet',
  })
  const other = `0x${'cd'.repeat(20)}`
  expect((await scene.ask('eth_getTransactionCount', [other, 'pending'])).result).toBe('0x2b')
  expect((await scene.ask('eth_getTransactionCount', [sender, 'latest'])).result).toBe('0x2b')
})

it('a head that was pushed can be read by its number and by its hash at once', async () => {
  const scene = await begin({ hasSockets: true })
  const { a, b, chain } = scene
  await heads(scene)
  const socket = scene.openSocket()
  socket.send(frame('eth_subscribe', ['newHeads']))
  await socket.next()
  for (let i = 0; i < 12; i++) {
    const [first, second] = i % 2 === 0 ? [a, b] : [b, a]
    second.lag = 1
    chain.height++
    first.pushHead()
    await sleep(20)
    second.lag = 0
    second.pushHead()
    const { params } = (await socket.next()) as { params: { result: { number: string; hash: string } } }
    const { number, hash } = params.result
    expect(Number(number)).toBe(chain.height)
    for (let j = 0; j < 4; j++) {
      expect((await scene.ask('eth_getBlockByNumber', [number, false])).result?.number).toBe(number)
      expect((await scene.ask('eth_getBlockByHash', [hash, false])).result?.number).toBe(number)
      expect(Number((await scene.ask('eth_blockNumber')).result)).toBe(chain.height)
    }
  }
  await socket.close()
})

it('where the node that has a block dies, the call waits for the other one', async () => {
  const scene = await begin({ isSpread: false })
  const { a, b, chain } = scene
  await heads(scene)
  b.lag = 1
  chain.height++
  while (a.calls.length === 0) await scene.ask('eth_gasPrice')
  while (Number((await scene.ask('eth_blockNumber')).result) === height) await sleep(10)
  await a.stop()
  setTimeout(() => (b.lag = 0), 300)
  const { result } = await scene.ask('eth_getBlockByNumber', [hex(height + 1), false])
  expect(result?.number).toBe(hex(height + 1))
})

it('where no other node has the block within a moment, the error says which one is missing', async () => {
  const scene = await begin({ isSpread: false })
  const { a, b, chain } = scene
  await heads(scene)
  b.lag = 1
  chain.height++
  while (Number((await scene.ask('eth_blockNumber')).result) === height) await sleep(10)
  await a.stop()
  const asked = performance.now()
  const answers = await Promise.all([
    scene.ask('eth_getBlockByNumber', [hex(height + 1), false]),
    scene.ask('eth_blockNumber'),
    scene.ask('eth_getBalance', [sender, 'latest']),
  ])
  expect(performance.now() - asked).toBeLessThan(10_000)
  for (const { error } of answers) expect(error?.message).toBe(`no upstream that answers has block ${height + 1} yet`)
  // Older blocks, and calls that need none, are answered meanwhile.
  expect((await scene.ask('eth_getBlockByNumber', [hex(height), false])).result?.number).toBe(hex(height))
  expect((await scene.ask('eth_chainId')).result).toBe('0x1')
})

it('a reorganisation that the nodes agree on lowers the view', async () => {
  const scene = await begin()
  const { chain } = scene
  await heads(scene)
  const before = (await scene.ask('eth_getBlockByNumber', ['latest', false])).result
  chain.reorganize(height - 3)
  chain.height = height - 1
  await expect.poll(async () => (await scene.ask('eth_blockNumber')).result, { timeout: 20_000 }).toBe(hex(height - 1))
  const after = (await scene.ask('eth_getBlockByNumber', [hex(height - 1), false])).result
  expect(after?.hash).toBe(chain.block(height - 1).hash)
  expect(before?.hash).not.toBe(after?.hash)
})

it.each(['in all of its answers', 'in answers to callers alone'])(
  'a node that tells a huge head %s costs nobody anything',
  async (where) => {
    const scene = await begin({ count: 3 })
    const { a: liar, chain } = scene
    const huge = 5_000_000
    await heads(scene)
    liar.answer = (method, params) => {
      if (method === 'eth_blockNumber') return { result: hex(huge) }
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || where === 'in answers to callers alone')
        return undefined
      return { result: { ...chain.block(height), number: hex(huge), hash: `0x${'77'.repeat(32)}` } }
    }
    for (let i = 0; i < 40; i++) {
      if (i % 10 === 9) chain.height++
      const [number, latest, reported] = await heads(scene)
      expect(number).toBeLessThanOrEqual(chain.height)
      expect(number).toBeGreaterThan(chain.height - 3)
      expect(latest).toBeLessThanOrEqual(chain.height)
      expect(reported).toBe(number)
    }
  },
)
