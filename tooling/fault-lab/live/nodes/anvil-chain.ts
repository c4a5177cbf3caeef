import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findAnvil } from '@wayleave/dev-node'
import { askNode } from '@wayleave/conformance/two-nodes/nodes/ask-node'
import { createProgress } from '@wayleave/conformance/two-nodes/nodes/chain'
import { freePorts } from '@wayleave/conformance/two-nodes/nodes/free-ports'
import { NodeProcess } from '@wayleave/conformance/two-nodes/nodes/node-process'
import { createRawTransactions, hand, poolOf } from './anvil-pool.ts'
import { askBatch } from './ask-batch.ts'
import { type ChainBlock, followAnvil, type Follower } from './follow-anvil.ts'
import { createGate } from './gate.ts'
import type { LiveChain } from './live-chain.ts'

export interface AnvilChainOptions {
  /** A folder for the logs. */
  readonly folder: string
  readonly blockMs: number
  /** Nodes behind the gateway. Default 3. */
  readonly count?: number
}

const chainId = 1338
const gossipMs = 150
/** The longest that a block waits for transactions that are on their way, in ms. */
const patienceMs = 400
/** Blocks before anything begins. */
const oldBlocks = 5

interface MinedBlock {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

/**
 * Starts anvils of one chain, and one more that is never hurt: it mines each block, and the others take it over, equal to the hash. A
 * killed one returns at block 0. Transactions reach the others by the rig, every 150 ms.
 */
export async function startAnvilChain({ folder, blockMs, count = 3 }: AnvilChainOptions): Promise<LiveChain> {
  const command = findAnvil()
  const genesisAt = Math.floor(Date.now() / 1_000) - 60
  await using stack = new AsyncDisposableStack()

  async function starting(name: string): Promise<NodeProcess> {
    const [port] = (await freePorts(1)) as [number]
    const args = [
      ['--host', '127.0.0.1', '--port', `${port}`, '--chain-id', `${chainId}`, '--timestamp', `${genesisAt}`],
      ['--no-mining', '--order', 'fees', '--hardfork', 'prague', '--no-cors', '--no-request-size-limit'],
      ['--color', 'never', '--cache-path', join(folder, 'cache'), '--max-persisted-states', '1000', '--quiet'],
    ].flat()
    const [url, ws] = [`http://127.0.0.1:${port}`, `ws://127.0.0.1:${port}`]
    const node = new NodeProcess({ name, url, ws, command, args, logFile: join(folder, `${name}.log`) })
    stack.use(node)
    await node.start()
    return node
  }

  const reference = await starting('reference')
  const genesis = await askNode<MinedBlock>(reference.url, 'eth_getBlockByNumber', ['0x0', false])
  const blocks: ChainBlock[] = [{ number: 0, hash: genesis.hash, timestamp: genesisAt, transactions: [] }]
  const raws = createRawTransactions()
  const forks: string[] = []
  const onFork = (sentence: string): void => void forks.push(sentence)
  const followers: Follower[] = []
  for (let i = 0; i < count; i++) {
    const node = await starting(String.fromCodePoint('a'.codePointAt(0)! + i))
    followers.push(stack.use(followAnvil({ node, blocks, raws, onFork })))
  }
  const gate = createGate(patienceMs)
  const progress = createProgress()
  const ending = new AbortController()
  const { signal } = ending

  /** Shares the transactions that wait in some node with all others; returns their hashes. */
  async function gossip(): Promise<ReadonlySet<string>> {
    const near = followers.filter((each) => each.isNear())
    const pools = await Promise.all(
      near.map(async ({ node: { url } }) => {
        const pool = await poolOf(url).catch(() => new Set<string>())
        await raws.learn(url, pool).catch(() => {})
        return pool
      }),
    )
    const all = new Set(pools.flatMap((pool) => [...pool]))
    await Promise.all(
      near.map(({ node, isAwake }, i) => {
        const missing = [...all].filter((hash) => !pools[i]!.has(hash))
        return isAwake() ? hand(node.url, known(missing)) : undefined
      }),
    )
    return all
  }

  const known = (hashes: Iterable<string>): readonly string[] =>
    [...hashes].map((hash) => raws.get(hash)).filter((raw) => raw !== undefined)

  async function mine(): Promise<void> {
    const last = blocks.at(-1)!
    const waiting = await gossip()
    await hand(reference.url, known(waiting))
    const now = Math.floor(Date.now() / 1_000)
    const timestamp = last.number < oldBlocks ? last.timestamp + 1 : Math.max(last.timestamp + 1, now)
    await askBatch(reference.url, [['evm_setNextBlockTimestamp', timestamp], ['evm_mine']])
    const { number, hash, transactions } = await askNode<MinedBlock>(reference.url, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])
    if (Number(number) !== last.number + 1)
      throw new Error(`the reference stands at ${Number(number)} after ${last.number}`)
    // A transaction that the reference waited for may come from a node that has ended since.
    await raws.learn(reference.url, transactions)
    const withRaws = transactions.map((each) => ({ hash: each, raw: raws.get(each)! }))
    blocks.push({ number: last.number + 1, hash, timestamp, transactions: withRaws })
    progress.advanced(last.number + 1)
    const near = followers.filter((each) => each.isNear())
    for (const each of followers) void each.catchUp()
    await Promise.all(near.map((each) => each.catchUp()))
  }

  let failure: unknown
  const every = async (ms: number, run: () => Promise<unknown>): Promise<void> => {
    try {
      while (!signal.aborted) {
        const began = performance.now()
        await run()
        await sleep(Math.max(10, ms - (performance.now() - began)), undefined, { signal }).catch(() => {})
      }
    } catch (thrown) {
      failure ??= thrown
    }
  }
  for (let i = 0; i < oldBlocks; i++) await mine()
  await Promise.all(followers.map((each) => each.catchUp()))
  let isMining = false
  const tasks = [
    every(blockMs, () =>
      gate.close(async () => {
        isMining = true
        await mine().finally(() => (isMining = false))
      }),
    ),
    every(gossipMs, async () => {
      if (!isMining) await gossip()
    }),
    every(gossipMs, async () => {
      for (const each of followers) if (each.isAwake() && !each.isNear()) void each.catchUp()
    }),
  ]
  const of = (node: NodeProcess) => followers.find((each) => each.node === node)!
  const resources = stack.move()
  return {
    chainId,
    software: `${count} anvils`,
    nodes: followers.map(({ node }) => node) as [NodeProcess, ...NodeProcess[]],
    pauses: { downMs: 3_000, frozenMs: 6_000, settleMs: 2_000 },
    progress: progress.reported,
    restarted: async () => {},
    kill: (node) => of(node).kill(),
    start: (node) => of(node).start(),
    pause: (node) => of(node).pause(),
    resume: (node) => of(node).resume(),
    sending: gate.pass,
    referenceUrl: reference.url,
    forks: () => (failure === undefined ? forks : [...forks, `the chain broke off: ${(failure as Error).message}`]),
    async [Symbol.asyncDispose]() {
      ending.abort()
      await Promise.all(tasks)
      await resources.disposeAsync()
    },
  }
}
