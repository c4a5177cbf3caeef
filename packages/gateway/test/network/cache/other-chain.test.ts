import { type Config, createLog, startGateway } from '@wayleave/gateway'
import { afterEach, describe, expect, it } from 'vitest'
import { type ChainNode, startChainNode, type TestChain, testChain } from '../../chain-node.ts'
import { frame, key, send } from '../../support.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

/** A chain whose last block is of this moment. */
const chainOf = (height: number, genesis = 0): TestChain =>
  testChain(height, { genesis, startedAt: Math.floor(Date.now() / 1_000) - height })

/** Questions about final blocks of a chain of a hundred, one of them by its hash. */
const questions = (chain: TestChain) =>
  [
    ['eth_getBlockByNumber', ['earliest', false]],
    ['eth_getBlockByNumber', ['0x0', false]],
    ['eth_getBlockByNumber', ['0x3', false]],
    ['eth_getBlockByNumber', ['0x5a', false]],
    ['eth_getBlockByHash', [chain.block(90).hash, false]],
  ] as const

interface Answer {
  readonly hash: string | undefined
  readonly cache: string | undefined
}

/** A gateway before nodes, and what it answers, logs and counts. */
async function start(nodes: readonly ChainNode[]) {
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } })
  const configOf = (upstreams: readonly string[]): Config => ({
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } },
    projects: [{ name: 'open', keys: [{ key }] }],
    cache: {},
  })
  const gateway = await startGateway(configOf(nodes.map(({ url }) => url)), { log })
  opened.push(() => gateway.close(0))
  const ask = async (method: string, params: readonly unknown[] = []): Promise<Answer> => {
    const { body, headers } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
    const { result } = JSON.parse(body) as { readonly result?: { readonly hash?: string } | null }
    return { hash: result?.hash, cache: headers['x-wayleave-cache'] as string | undefined }
  }
  const askAll = async (chain: TestChain): Promise<readonly Answer[]> => {
    const answers: Answer[] = []
    for (const [method, params] of questions(chain)) answers.push(await ask(method, params))
    return answers
  }
  return {
    ask,
    askAll,
    lines,
    reload: (node: ChainNode) => gateway.reload(configOf([node.url])),
    /** Asks until all answers about final blocks are kept. */
    keep: (chain: TestChain) =>
      expect
        .poll(async () => (await askAll(chain)).map(({ cache }) => cache), { timeout: 20_000 })
        .toEqual(questions(chain).map(() => 'hit')),
    async counted(): Promise<string | undefined> {
      const { body } = await send(gateway.admin!, '/metrics', { method: 'GET' })
      return /wayleave_chains_replaced_total\{network="mainnet"\} (\d+)/.exec(body)?.[1]
    },
  }
}

async function nodeOf(chain: TestChain, name = 1): Promise<ChainNode> {
  const node = await startChainNode(chain, name)
  opened.push(() => node.close())
  return node
}

/** The hashes that a chain has for the questions about another one. */
const truth = (chain: TestChain, asked: TestChain) =>
  questions(asked).map(([method, [at]]) => {
    if (method === 'eth_getBlockByHash') return chain === asked ? at : undefined
    const height = at === 'earliest' ? 0 : Number(at)
    return height > chain.height ? undefined : chain.block(height).hash
  })

describe('a node that comes back as another chain', () => {
  it.each([
    ['lower, below the final block', 40],
    ['lower, above the final block', 97],
    ['equal', 100],
    ['a block higher', 101],
    ['much higher', 5_000],
  ])('answers for itself, where its head is %s', { timeout: 60_000 }, async (_how, height) => {
    const [old, other] = [chainOf(100), chainOf(height, 9)]
    const node = await nodeOf(old)
    const { askAll, keep, lines, counted } = await start([node])
    await keep(old)
    await node.stop()
    node.chain = other
    await node.start()
    const hashes = async () => (await askAll(old)).map(({ hash }) => hash)
    await expect.poll(hashes, { timeout: 5_000 }).toEqual(truth(other, old))
    for (let i = 0; i < 3; i++) {
      other.height++
      expect(await hashes()).toEqual(truth(other, old))
    }
    expect(lines.filter((line) => line.includes('final blocks of the chain were replaced'))).toHaveLength(1)
    expect(await counted()).toBe('1')
  })

  it('answers for itself, where no connection broke', { timeout: 60_000 }, async () => {
    for (const height of [100, 5_000]) {
      const [old, other] = [chainOf(100), chainOf(height, 9)]
      const node = await nodeOf(old)
      const { askAll, keep } = await start([node])
      await keep(old)
      node.chain = other
      await expect
        .poll(async () => (await askAll(old)).map(({ hash }) => hash), { timeout: 20_000 })
        .toEqual(truth(other, old))
    }
  })

  it('answers for itself beside a second one that does so, too', { timeout: 60_000 }, async () => {
    const [old, other] = [chainOf(100), chainOf(102, 9)]
    const nodes = [await nodeOf(old, 1), await nodeOf(old, 2)]
    const { askAll, keep } = await start(nodes)
    await keep(old)
    for (const node of nodes) await node.stop()
    for (const node of nodes) {
      node.chain = other
      await node.start()
    }
    await expect
      .poll(async () => (await askAll(old)).map(({ hash }) => hash), { timeout: 20_000 })
      .toEqual(truth(other, old))
  })
})

it(
  'a configuration that names a node of another chain has none of the answers of the one before',
  { timeout: 60_000 },
  async () => {
    const [old, other] = [chainOf(100), chainOf(300, 9)]
    const [before, after] = [await nodeOf(old, 1), await nodeOf(other, 2)]
    const { ask, keep, reload } = await start([before])
    await keep(old)
    await reload(after)
    // Final answers are given once a final block is known.
    const [reported, look] = [
      [] as Answer[],
      async () => void reported.push(await ask('eth_getBlockByNumber', ['0x3', false])),
    ]
    await expect.poll(async () => look().then(() => reported.at(-1)?.cache), { timeout: 20_000 }).toBe('hit')
    expect(reported.every(({ hash }) => hash === other.block(3).hash)).toBe(true)
  },
)

describe('a node of the same chain', () => {
  it('that was away leaves what is kept as it is', { timeout: 60_000 }, async () => {
    const chain = chainOf(100)
    const node = await nodeOf(chain)
    const { askAll, keep, ask, lines, counted } = await start([node])
    await keep(chain)
    await node.stop()
    const whileAway = await askAll(chain)
    expect(whileAway.map(({ cache }) => cache)).toEqual(questions(chain).map(() => 'hit'))
    chain.height = 103
    await node.start()
    await expect
      .poll(() => ask('eth_getBlockByNumber', ['latest', false]))
      .toMatchObject({ hash: chain.block(103).hash })
    expect((await askAll(chain)).slice(0, 4).map(({ cache }) => cache)).toEqual(['hit', 'hit', 'hit', 'hit'])
    expect([lines, await counted()]).toEqual([[], undefined])
  })

  it(
    'that has no block at the final height for a while, as one behind a balancer, leaves what is kept as it is',
    {
      timeout: 60_000,
    },
    async () => {
      const chain = chainOf(100)
      const node = await nodeOf(chain)
      const { askAll, keep, lines, counted } = await start([node])
      await keep(chain)
      let lacked = 0
      node.answer = (method, [at]) => {
        if (method !== 'eth_getBlockByNumber' || !String(at).startsWith('0x')) return undefined
        lacked++
        return { result: null }
      }
      // Heads that do not follow on one another have the chain looked at.
      chain.height = 110
      await expect.poll(() => askAll(chain).then(() => lacked), { timeout: 20_000 }).toBeGreaterThan(0)
      expect((await askAll(chain)).slice(0, 4).map(({ cache }) => cache)).toEqual(['hit', 'hit', 'hit', 'hit'])
      expect([lines, await counted()]).toEqual([[], undefined])
    },
  )

  it('that replaces blocks above the final one leaves what is final as it is', { timeout: 60_000 }, async () => {
    const chain = chainOf(100)
    const node = await nodeOf(chain)
    const { askAll, keep, ask, lines, counted } = await start([node])
    await keep(chain)
    chain.reorganize(97)
    chain.height = 101
    const head = () => ask('eth_getBlockByNumber', ['latest', false])
    await expect.poll(head, { timeout: 20_000 }).toMatchObject({ hash: chain.block(101).hash })
    expect((await askAll(chain)).slice(0, 4).map(({ cache }) => cache)).toEqual(['hit', 'hit', 'hit', 'hit'])
    expect([lines, await counted()]).toEqual([[], undefined])
  })
})
