import { setTimeout as sleep } from 'node:timers/promises'
import { blockHash, createHistoryChain, transactionHash } from './chain.ts'
import { type Answer, startHistoryGateway } from './gateway.ts'
import { type Keeps, startHistoryNode } from './node.ts'
import type { Row } from './report.ts'

const height = 20_000
const archive: Keeps = { bodies: 0, index: 0 }
const full: Keeps = { states: 128, bodies: 8_000, index: 12_000 }
/** Longer than the gateway waits before it examines its upstreams, in ms. */
const learningMs = 7_000

/** How the gateway can learn what its upstreams have. */
export const sources = ['eth_capabilities', 'probes', 'errors'] as const
export type Source = (typeof sources)[number]

/** A historical call of each resource, at a height. */
const kinds: Readonly<Record<string, (block: number) => readonly [method: string, params: readonly unknown[]]>> = {
  state: (block) => ['eth_getBalance', [`0x${'a1'.repeat(20)}`, hex(block)]],
  blocks: (block) => ['eth_getBlockByNumber', [hex(block), false]],
  'blocks by hash': (block) => ['eth_getBlockByHash', [blockHash(block), false]],
  receipts: (block) => ['eth_getBlockReceipts', [hex(block)]],
  logs: (block) => ['eth_getLogs', [{ fromBlock: hex(block), toBlock: hex(block + 9) }]],
  traces: (block) => ['debug_traceBlockByNumber', [hex(block), {}]],
  transactions: (block) => ['eth_getTransactionByHash', [transactionHash(block, 0)]],
  'receipts by hash': (block) => ['eth_getTransactionReceipt', [transactionHash(block, 0)]],
}
const hex = (number: number): string => `0x${number.toString(16)}`

/** A generator of equal numbers for an equal seed. Source: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const isEmpty = ({ result }: Answer): boolean => result == null || (Array.isArray(result) && result.length === 0)

/** Asks 1,000 random historical calls of an archive and a full node, after 300 to learn from. */
export async function runReads(source: Source, calls = 1_000): Promise<readonly Row[]> {
  const chain = createHistoryChain(height)
  /** Whether the answers to one call were in vain, in the order in which the nodes were asked. */
  const vain: boolean[] = []
  const onAnswer = (isVain: boolean): void => void vain.push(isVain)
  const hasCapabilities = source === 'eth_capabilities'
  await using old = await startHistoryNode({ chain, keeps: archive, hasCapabilities, onAnswer })
  await using young = await startHistoryNode({ chain, keeps: full, hasCapabilities, onAnswer })
  await using gateway = await startHistoryGateway({ full: young, archive: old }, { probe: source !== 'errors' })
  const random = seeded(7)
  const names = Object.keys(kinds)
  const timer = setInterval(() => {
    chain.mine()
    for (const node of [old, young]) node.moved()
  }, 1_000)

  async function ask(count: number) {
    const sum = { first: 0, empty: 0, failed: 0, asked: 0, unasked: 0 }
    for (let i = 0; i < count; i++) {
      const [method, params] = kinds[names[i % names.length]!]!(1 + Math.floor(random() * (height - 200)))
      const before = old.asked + young.asked
      vain.length = 0
      const answer = await gateway.ask(method, params)
      const asked = old.asked + young.asked - before
      sum.asked += asked
      if (asked === 0) sum.unasked++
      if (vain[0] === false) sum.first++
      if (answer.error !== undefined) sum.failed++
      else if (isEmpty(answer)) sum.empty++
    }
    return sum
  }

  try {
    await gateway.ask('eth_blockNumber', [])
    if (source !== 'errors') {
      await sleep(learningMs)
      await gateway.ask('eth_blockNumber', [])
      await sleep(1_000)
    }
    const probes = old.asked + young.asked
    const learning = await ask(300)
    const { first, empty, failed, asked, unasked } = await ask(calls)
    const what = `historical calls, learnt from ${source}`
    return [
      {
        what: `${what}: answered by the first upstream asked`,
        bar: 'at least 99 %',
        measured: percent(first, calls),
        holds: first >= 0.99 * calls,
      },
      { what: `${what}: null, or an empty list, for what exists`, bar: '0', measured: `${empty}`, holds: empty === 0 },
      { what: `${what}: errors`, bar: '0', measured: `${failed}`, holds: failed === 0 },
      { what: `${what}: calls that no node was asked`, bar: '0', measured: `${unasked}`, holds: unasked === 0 },
      { what: `${what}: upstream calls for ${calls}, with hedges`, measured: `${asked}` },
      {
        what: `${what}: the 300 calls before, when answers teach`,
        measured: `${percent(learning.first, 300)} first, ${learning.empty} empty, ${learning.failed} errors; ${probes} calls of the gateway's own`,
      },
    ]
  } finally {
    clearInterval(timer)
  }
}

const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)} %`
