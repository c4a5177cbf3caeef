import { createLog, type RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain, type TestChain } from '../chain-node.ts'
import { frame, key, send, sleep, startTestGateway } from '../support.ts'

type Verify = 'off' | 'consistent' | 'proven'

interface Scene {
  readonly chain: TestChain
  readonly nodes: readonly ChainNode[]
  readonly gateway: RunningGateway
  /** Lines of the log, parsed. */
  readonly lines: readonly Record<string, unknown>[]
  ask(method: string, params?: readonly unknown[]): Promise<Record<string, unknown>>
  /** The state of upstreams in `/status`, by name. */
  status(): Promise<Record<string, Record<string, unknown>>>
  metrics(): Promise<string>
  /** Makes a block every 150 ms until the test has finished. */
  mine(): void
}

const height = 500
const names = ['a', 'b', 'c'] as const

/** Three nodes of one chain, the nth of them made bad. */
async function begin(spoil: (node: ChainNode) => void, at: number, verify: Verify = 'off', count = 3): Promise<Scene> {
  const chain = testChain(height)
  const nodes = await Promise.all(names.slice(0, count).map((_name, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  if (nodes[at] !== undefined) spoil(nodes[at])
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  const upstreams = nodes.map(({ url }, i) => ({ name: names[i]!, url }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, verify, followHeads: true } } as const
  const gateway = await startTestGateway([], { networks }, { log })
  onTestFinished(() => gateway.close(0))
  return {
    chain,
    nodes,
    gateway,
    lines,
    async ask(method, params = []) {
      const { body } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
      return JSON.parse(body) as Record<string, unknown>
    },
    async status() {
      const { body } = await send(gateway.admin, '/status?network=mainnet')
      const { upstreams: reported } = JSON.parse(body).networks.mainnet
      return Object.fromEntries(reported.map(({ name, ...state }: { name: string }) => [name, state]))
    },
    metrics: async () => (await send(gateway.admin, '/metrics')).body,
    mine() {
      const timer = setInterval(() => chain.height++, 150)
      onTestFinished(() => clearInterval(timer))
    },
  }
}

/** The heights, and the names of the nodes that answered, of so many rounds of questions that any node could answer. */
async function rounds(scene: Scene, count: number) {
  const found: { heights: number[]; by: string[]; chains: unknown[] } = { heights: [], by: [], chains: [] }
  for (let i = 0; i < count; i++) {
    const answers = await Promise.all([
      scene.ask('eth_blockNumber'),
      scene.ask('eth_getBlockByNumber', ['latest', false]),
      scene.ask('eth_gasPrice'),
      scene.ask('eth_chainId'),
    ])
    const [number, block, price, chain] = answers.map(({ result }) => result)
    found.heights.push(Number(number), Number((block as { number?: string } | null)?.number))
    found.by.push(names[Number(price) - 1] ?? JSON.stringify(answers[2]))
    found.chains.push(chain)
    await sleep(20)
  }
  return found
}

const cases: readonly (readonly [what: string, spoil: (node: ChainNode) => void, reason: RegExp])[] = [
  [
    'names another chain',
    (node) => (node.chain = testChain(height, { id: 5, genesis: 9 })),
    /^expected chain 0x1, got 0x5$/,
  ],
  ['is stuck at block 0', (node) => (node.stuckAt = 0), /^stands at block 0, the others at 5\d\d$/],
  ['is stuck high up', (node) => (node.stuckAt = height - 12), /^stands at block 488, the others at 5\d\d$/],
  ['lags by 20 blocks', (node) => (node.lag = 20), /^stands at block 4\d\d, the others at 5\d\d$/],
]

describe.each(cases)('an upstream that %s', (_what, spoil, reason) => {
  describe.each(['off', 'consistent', 'proven'] as const)('under verify: %s', (verify) => {
    it.each([0, 1, 2])('answers nobody from the first call on, as number %i of three', async (at) => {
      const scene = await begin(spoil, at, verify)
      scene.mine()
      const { heights, by, chains } = await rounds(scene, 6)
      expect(Math.min(...heights)).toBeGreaterThan(height - 5)
      expect(by).not.toContain(names[at])
      expect(new Set(chains)).toEqual(new Set(['0x1']))
      expect((await scene.status())[names[at]!]).toMatchObject({
        state: 'down',
        out: expect.stringMatching(/^(wrong_chain|behind)$/),
        reason: expect.stringMatching(reason),
      })
      expect(await scene.metrics()).toContain(`wayleave_upstream_up{network="mainnet",endpoint="${names[at]}"} 0`)
      const reported = scene.lines.filter(({ endpoint, level }) => endpoint === names[at] && level === 40)
      expect(reported.length).toBe(1)
    })
  })
})

/** Waits until an upstream has answered a caller. */
async function untilServed(scene: Scene, name: string): Promise<void> {
  for (let i = 0; i < 400; i++) if ((await rounds(scene, 1)).by.includes(name)) return
  throw new Error(`${name} never answered again`)
}

it.each([0, 1, 2])(
  'an upstream that restarts at block 0 answers nobody until it stands where the others are, as number %i',
  async (at) => {
    const scene = await begin(() => {}, at)
    const node = scene.nodes[at]!
    const others = scene.nodes.filter((each) => each !== node)
    scene.mine()
    await rounds(scene, 2)
    await node.stop()
    await rounds(scene, 3)
    node.stuckAt = 0
    await node.start()
    const { heights, by } = await rounds(scene, 60)
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(height)
    expect(heights.filter((each, i) => i > 0 && each < Math.max(...heights.slice(0, i)) - 3)).toEqual([])
    expect(by).not.toContain(names[at])
    expect((await scene.status())[names[at]!]).toMatchObject({
      state: 'down',
      reason: expect.stringMatching(/block 0/),
    })
    node.stuckAt = undefined
    for (const other of others)
      other.answer = (method) =>
        method === 'eth_gasPrice' ? { error: { code: -32603, message: 'Internal error' } } : undefined
    await untilServed(scene, names[at]!)
    await expect.poll(async () => (await scene.status())[names[at]!]).toMatchObject({ state: 'ok' })
    expect(await scene.metrics()).toContain(`wayleave_upstream_up{network="mainnet",endpoint="${names[at]}"} 1`)
  },
)

it('an upstream that does not answer the question for its chain is warned of, and serves', async () => {
  const spoil = (node: ChainNode): void => {
    node.answer = (method) =>
      method === 'eth_chainId'
        ? { error: { code: -32601, message: 'the method eth_chainId does not exist' } }
        : undefined
  }
  const scene = await begin(spoil, 0)
  expect((await rounds(scene, 3)).by).toEqual(['a', 'a', 'a'])
  expect((await scene.status())['a']).toMatchObject({ state: 'ok' })
  expect(scene.lines.filter(({ endpoint }) => endpoint === 'a').map(({ msg }) => msg)).toEqual([
    'an upstream does not tell its chain, and is asked all the same',
  ])
})

it('a single node whose owner sets its chain back is served at once', async () => {
  const scene = await begin(() => {}, 0, 'off', 1)
  expect((await rounds(scene, 2)).heights).toEqual([height, height, height, height])
  scene.nodes[0]!.chain = testChain(3, { genesis: 7 })
  expect((await rounds(scene, 3)).heights).toEqual([3, 3, 3, 3, 3, 3])
  await sleep(1_000)
  const { heights, by } = await rounds(scene, 3)
  expect([heights, by]).toEqual([
    [3, 3, 3, 3, 3, 3],
    ['a', 'a', 'a'],
  ])
  expect((await scene.status())['a']).toMatchObject({ state: 'ok' })
})

it('the gauges of heads go on with the chain', async () => {
  const scene = await begin(() => {}, 0)
  await rounds(scene, 1)
  expect(await scene.metrics()).toContain('wayleave_upstream_head{network="mainnet",endpoint="b"} 500')
  scene.chain.height += 2
  for (let i = 0; i < 400 && !(await scene.metrics()).includes('endpoint="b"} 502'); i++) await sleep(10)
  const text = await scene.metrics()
  expect(text).toContain('wayleave_upstream_head{network="mainnet",endpoint="b"} 502')
  expect(text).toContain('wayleave_upstream_lag_blocks{network="mainnet",endpoint="b"} 0')
  expect(text).toContain('wayleave_upstream_calls_total{network="mainnet",endpoint="b",purpose="probe"} 1')
  expect(await scene.status()).toMatchObject({
    b: { state: 'ok', chain: 'right', health: 'good', head: 502, lag: 0 },
  })
})
