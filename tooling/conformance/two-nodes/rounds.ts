import { setTimeout as sleep } from 'node:timers/promises'
import type { TestChain } from './nodes/chain.ts'
import type { NodeProcess } from './nodes/node-process.ts'

export interface RoundOptions {
  readonly chain: TestChain
  readonly rounds: number
  readonly signal: AbortSignal
  /** Called when a node's fortune turns. */
  readonly onPhase: (phase: string) => void
}

/** Blocks that a node may stand behind the chain to count as caught up. */
const nearBlocks = 1
const catchUpWithinMs = 120_000

/**
 * Kills a node and starts it again, then pauses the other one and lets it go on; in the next round the two change places. Goes on only
 * when the hurt node has caught up, since with both of them behind nobody could serve.
 * @throws Error where a node does not catch up.
 */
export async function hurtInTurns({ chain, rounds, signal, onPhase }: RoundOptions): Promise<void> {
  const { downMs, frozenMs, settleMs } = chain.pauses
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal })
  for (let round = 1; round <= rounds; round++) {
    const [first, second] = round % 2 === 1 ? chain.nodes : chain.nodes.toReversed()
    const phase = (name: string): void => onPhase(`round ${round}: ${name}`)
    phase('both are well')
    await pause(settleMs)
    phase(`${first!.name} is killed`)
    await first!.kill()
    await pause(downMs)
    phase(`${first!.name} starts`)
    await first!.start()
    await chain.restarted(first!)
    phase(`${first!.name} catches up`)
    await caughtUp(chain, first!, signal)
    phase('both are well')
    await pause(settleMs)
    phase(`${second!.name} is paused`)
    second!.pause()
    await pause(frozenMs)
    phase(`${second!.name} goes on`)
    second!.resume()
    await caughtUp(chain, second!, signal)
  }
  onPhase('both are well')
  await pause(settleMs)
}

/** Waits until a node has the chain's head. */
export async function caughtUp(chain: TestChain, node: NodeProcess, signal: AbortSignal): Promise<void> {
  const until = performance.now() + catchUpWithinMs
  while (performance.now() < until) {
    const { height } = chain.progress()
    const head = await node.head()
    if (head !== undefined && head > 0 && head >= height - nearBlocks) return
    await sleep(200, undefined, { signal })
  }
  throw new Error(`${node.name} did not catch up within ${catchUpWithinMs / 1_000} s`)
}
