import { describe, expect, it } from 'vitest'
import {
  type ChainNode,
  type NodeAnswer,
  startChainNode,
  type TestBlock,
  testChain,
  type TestChain,
} from '../chain-node.ts'
import { frame, openCalledNetwork } from '../callers.ts'
import { sleep } from '../support.ts'

const firstHeight = 100
const hex = (number: number | bigint): string => `0x${number.toString(16)}`
const word = (digit: string): string => `0x${digit.repeat(64)}`
const transaction = word('7')

/** The lie of a node instead of its answer; undefined for a call: it tells the truth. */
type Lie = (scene: {
  readonly method: string
  readonly params: readonly unknown[]
  readonly chain: TestChain
  /** Polls that it has answered falsely so far. */
  readonly times: number
}) => NodeAnswer | undefined

/** A head at a height, with a name of its own. */
const headAt = (chain: TestChain, number: number | bigint, further: Partial<TestBlock> = {}) => ({
  ...chain.block(chain.height),
  number: hex(number),
  hash: word('7'),
  parentHash: word('6'),
  ...further,
})
const isLatest = (method: string, params: readonly unknown[]): boolean =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'

/** Names heads by a rule, wherever a node is asked for its head. */
const naming =
  (
    number: (chain: TestChain, times: number) => number | bigint,
    further?: (chain: TestChain) => Partial<TestBlock>,
  ): Lie =>
  ({ method, params, chain, times }) => {
    if (method === 'eth_blockNumber') return { result: hex(number(chain, times)) }
    return isLatest(method, params) ? { result: headAt(chain, number(chain, times), further?.(chain)) } : undefined
  }
const answering =
  (asked: string, result: (chain: TestChain) => unknown): Lie =>
  ({ method, chain }) =>
    method === asked ? { result: result(chain) } : undefined
const underTag =
  (tag: string, number: (chain: TestChain) => number | bigint): Lie =>
  ({ method, params, chain }) =>
    method === 'eth_getBlockByNumber' && params[0] === tag ? { result: headAt(chain, number(chain)) } : undefined

const beyond = 2n ** 53n
/** Heads that no chain can have. */
const beyondAll: Readonly<Record<string, Lie>> = {
  'at 2^53': naming(() => beyond),
  'at a number of 200 bits': naming(() => 2n ** 200n),
}
/** Heads that a chain can have some day. */
const farAhead: Readonly<Record<string, Lie>> = {
  'a thousand blocks ahead': naming(({ height }) => height + 1_000),
  'twenty blocks ahead': naming(({ height }) => height + 20),
  'a thousand blocks ahead, on the parent of the head': naming(
    ({ height }) => height + 1_000,
    (chain) => ({ parentHash: chain.block(chain.height).hash }),
  ),
  'a thousand blocks ahead, under the hash of the head': naming(
    ({ height }) => height + 1_000,
    (chain) => ({ hash: chain.block(chain.height).hash }),
  ),
  'a thousand blocks ahead, and one more each time': naming((_, times) => firstHeight + 1_000 + times),
  'further ahead each time': naming(({ height }, times) => height + 10 ** (2 + (times % 10))),
  'ahead each second time': naming(({ height }, times) => height + (times % 2) * 1_000),
  'at 2^53 - 1': naming(() => beyond - 1n),
}
/** Blocks in answers other than that of the head. */
const inAnswers: Readonly<Record<string, Lie>> = {
  'in answers to callers alone': answering('eth_blockNumber', ({ height }) => hex(height + 1_000)),
  'of 200 bits in answers to callers alone': answering('eth_blockNumber', () => hex(2n ** 200n)),
  'in receipts': answering('eth_getTransactionReceipt', (chain) => ({
    transactionHash: transaction,
    blockHash: word('7'),
    blockNumber: hex(chain.height + 1_000),
    logs: [],
  })),
  'of 200 bits in receipts': answering('eth_getTransactionReceipt', () => ({
    transactionHash: transaction,
    blockHash: word('7'),
    blockNumber: hex(2n ** 200n),
    logs: [],
  })),
  'in transactions': answering('eth_getTransactionByHash', (chain) => ({
    hash: transaction,
    blockHash: word('7'),
    blockNumber: hex(chain.height + 1_000),
  })),
  'in logs': answering('eth_getLogs', (chain) => [
    { blockNumber: hex(chain.height + 1_000), blockHash: word('7'), transactionHash: transaction, topics: [] },
  ]),
  'under the finalized tag': underTag('finalized', ({ height }) => height + 1_000),
  'of 200 bits under the finalized tag': underTag('finalized', () => 2n ** 200n),
  'under the safe tag': underTag('safe', () => 2 ** 52),
  'of 200 bits under the safe tag': underTag('safe', () => 2n ** 200n),
}

/** A scene of nodes of a live chain, of which the first one may be false, and callers. */
async function begin(count: number, blockMs: number | undefined) {
  const chain = testChain(firstHeight, { startedAt: Math.floor(Date.now() / 1_000) - firstHeight })
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  const upstreams = nodes.map(({ url, ws }) => ({ url, ws }))
  const called = await openCalledNetwork({ chainId: 1, upstreams })
  const [liar] = nodes as [ChainNode]
  let lie: Lie | undefined
  let times = 0
  const answer = (method: string, params: readonly unknown[]): NodeAnswer | undefined => {
    const reported = lie?.({ method, params, chain, times })
    if (reported !== undefined) times++
    return reported
  }
  liar.answer = answer
  function mine(): void {
    chain.height++
    for (const node of nodes) {
      const head = node === liar ? answer('eth_getBlockByNumber', ['latest', false]) : undefined
      if (head === undefined) node.pushHead()
      else node.push('newHeads', head.result)
    }
  }
  const mined = blockMs === undefined ? undefined : setInterval(mine, blockMs)
  return {
    chain,
    nodes,
    openSocket: called.openSocket,
    answerBy(next: Lie) {
      lie = next
    },
    async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
      return (await called.ask(method, params)).result
    },
    async close() {
      clearInterval(mined)
      await called.network.close()
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

describe.each([2, 3])('one node of %d that names an impossible head', (count) => {
  // Two of three decide the same whether the chain stands or not.
  const whens =
    count === 2 ? (['at first', 'later', 'while the chain stands'] as const) : (['at first', 'later'] as const)
  const cells = [
    ...whens.map((when) => [farAhead, when] as const),
    ...(['at first', 'later'] as const).map((when) => [beyondAll, when] as const),
    [inAnswers, 'later'] as const,
  ]
  it.concurrent.each(
    cells.flatMap(([lies, when]) => Object.entries(lies).map(([title, lie]) => [title, when, lie] as const)),
  )('%s, %s, has none of it served', { timeout: 60_000 }, async (_title, when, lie) => {
    const { chain, openSocket, answerBy, ask, close } = await begin(
      count,
      when === 'while the chain stands' ? undefined : 200,
    )
    const reported: string[] = []
    try {
      if (when === 'at first') answerBy(lie)
      const socket = openSocket()
      socket.send(frame('eth_subscribe', ['newHeads']))
      await ask('eth_blockNumber')
      answerBy(lie)
      for (let i = 0; i < 5; i++) {
        for (const tag of ['latest', 'safe', 'finalized']) {
          const block = (await ask('eth_getBlockByNumber', [tag, false])) as TestBlock | null
          reported.push(`${tag} ${Number(block?.number ?? Number.NaN)}`)
        }
        reported.push(`number ${Number(await ask('eth_blockNumber'))}`)
        for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash']) await ask(method, [transaction])
        await ask('eth_getLogs', [{ fromBlock: 'latest' }])
        await sleep(60)
      }
      for (const one of reported) {
        expect(Number(one.split(' ')[1]), reported.join()).toBeLessThanOrEqual(chain.height)
        expect(Number(one.split(' ')[1]), reported.join()).toBeGreaterThan(firstHeight - 10)
      }
      for (const message of socket.messages) {
        const { params } = JSON.parse(message) as { readonly params?: { readonly result: TestBlock } }
        expect(Number(params?.result.number ?? 0)).toBeLessThanOrEqual(chain.height)
      }
      await socket.close()
    } finally {
      await close()
    }
  })
})

describe('a jump of honest nodes', () => {
  it.concurrent.each<
    readonly [
      title: string,
      count: number,
      jump: (nodes: readonly ChainNode[], chain: TestChain) => Promise<void> | void,
    ]
  >([
    ['an only node mines a thousand blocks at once', 1, (_, chain) => void (chain.height += 1_000)],
    ['both of two mine a thousand blocks at once', 2, (_, chain) => void (chain.height += 1_000)],
    [
      'one of two has a thousand blocks more, and three seconds later the other one, too',
      2,
      async ([, second], chain) => {
        second!.stuckAt = chain.height
        chain.height += 1_000
        await sleep(3_000)
        second!.stuckAt = undefined
      },
    ],
    [
      'one of two has a thousand blocks more, and the other one is dead',
      2,
      async ([, second], chain) => {
        await second!.stop()
        chain.height += 1_000
      },
    ],
    [
      'a node that was syncing has all blocks, and the only other one is dead',
      2,
      async ([first, second], chain) => {
        first!.stuckAt = 5
        await sleep(2_000)
        await second!.stop()
        first!.stuckAt = undefined
        chain.height += 100
      },
    ],
    [
      'two of three have a thousand blocks more than the third',
      3,
      ([, , third], chain) => {
        third!.stuckAt = chain.height
        chain.height += 1_000
      },
    ],
  ])('is followed where %s', { timeout: 60_000 }, async (_title, count, jump) => {
    const { chain, nodes, ask, close } = await begin(count, undefined)
    try {
      await ask('eth_blockNumber')
      await jump(nodes, chain)
      const reached = chain.height
      let times = 0
      for (let i = 0; i < 200 && times < 5; i++, await sleep(100)) {
        const block = (await ask('eth_getBlockByNumber', ['latest', false])) as TestBlock | undefined
        times = block?.number === hex(reached) ? times + 1 : 0
      }
      expect(times).toBe(5)
    } finally {
      await close()
    }
  })
})

describe('one node of 2 that is a few blocks ahead of a chain that stands', () => {
  it.concurrent.each([3, 5, 8])('%d blocks, takes no answer from callers for long', { timeout: 30_000 }, async (by) => {
    const { chain, answerBy, ask, close } = await begin(2, undefined)
    try {
      await ask('eth_blockNumber')
      answerBy(
        naming(
          ({ height }) => height + by,
          ({ height }) => ({ hash: `0x${String(height + by).padStart(64, '7')}` }),
        ),
      )
      await expect
        .poll(async () => Number(await ask('eth_blockNumber')), { timeout: 15_000, interval: 100 })
        .toBe(chain.height)
      for (let i = 0; i < 20; i++) {
        expect(Number(await ask('eth_blockNumber'))).toBe(chain.height)
        await sleep(50)
      }
    } finally {
      await close()
    }
  })
})
