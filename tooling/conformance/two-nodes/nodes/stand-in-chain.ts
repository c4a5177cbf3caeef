import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startAnvil } from '@wayleave/dev-node'
import { askNode } from './ask-node.ts'
import { createProgress, type TestChain } from './chain.ts'
import { freePorts } from './free-ports.ts'
import { NodeProcess } from './node-process.ts'

export interface StandInOptions {
  /** A folder for the logs. */
  readonly folder: string
  readonly blockMs: number
  /** Time for which a node that was started stands at block 0, in ms. Default 4,000. */
  readonly catchUpMs?: number
  /**
   * Blocks that they are behind the anvil (0). While it makes a block, anvil answers for the block before with the state of the next one now and
   * then: of one that is a block older it does not.
   */
  readonly blocksBehind?: number
}

const chainId = 1338
/** Time by which the second node is later than the first, in ms. */
const laterMs = 120
const program = fileURLToPath(new URL('stand-in.ts', import.meta.url))

/** Time between two questions to a node that catches up, and the longest that it may take, in ms. */
const askEveryMs = 50
const longestCatchUpMs = 30_000

/** Starts two nodes that follow one anvil, and resolves when both have caught up. They lag, freeze and come back at block 0 as real ones do; forks they have none. */
export async function startStandIns({
  folder,
  blockMs,
  catchUpMs = 4_000,
  blocksBehind = 0,
}: StandInOptions): Promise<TestChain> {
  const anvil = await startAnvil({ name: 'chain', chainId })
  await askNode(anvil.httpUrl, 'evm_setAutomine', [false])
  const starting = async (name: string, delayMs: number): Promise<NodeProcess> => {
    const [http, ws] = (await freePorts(2)) as [number, number]
    const args = [
      program,
      anvil.httpUrl,
      String(http),
      String(ws),
      String(catchUpMs),
      String(delayMs),
      String(blocksBehind),
    ]
    return new NodeProcess({
      name,
      url: `http://127.0.0.1:${http}`,
      ws: `ws://127.0.0.1:${ws}`,
      command: process.execPath,
      args,
      logFile: join(folder, `${name}.log`),
    })
  }
  const nodes = [await starting('a', 0), await starting('b', laterMs)] as const
  await Promise.all(nodes.map((node) => node.start()))
  const ending = new AbortController()
  const { signal } = ending
  const progress = createProgress()
  let height = 0
  const mining = (async () => {
    while (!signal.aborted) {
      await askNode(anvil.httpUrl, 'evm_mine')
      progress.advanced(++height)
      await sleep(blockMs, undefined, { signal }).catch(() => {})
    }
  })()
  // Awaited at the end; until then a failure shows as a chain that stands still.
  mining.catch(() => {})
  const chain: TestChain = {
    chainId,
    software: 'stand-ins before anvil',
    nodes,
    pauses: { downMs: 3_000, frozenMs: 6_000, settleMs: 2_000 },
    progress: progress.reported,
    restarted: async () => {},
    async [Symbol.asyncDispose]() {
      ending.abort()
      await Promise.all(nodes.map((node) => node.kill()))
      await mining.catch(() => {})
      await anvil.close()
    },
  }
  try {
    await Promise.all(nodes.map((node) => caughtUp(node.url)))
    return chain
  } catch (thrown) {
    await chain[Symbol.asyncDispose]()
    throw thrown
  }
}

/** Waits for a node's first block: before it, a node takes no transaction. */
async function caughtUp(url: string): Promise<void> {
  const until = performance.now() + longestCatchUpMs
  while (Number(await askNode<string>(url, 'eth_blockNumber')) < 1) {
    if (performance.now() > until) throw new Error(`${url} shows no block after ${longestCatchUpMs} ms`)
    await sleep(askEveryMs)
  }
}
