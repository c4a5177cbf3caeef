import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeProcess } from '../two-nodes/nodes/node-process.ts'
import type { StreamChain } from './chain/stream-chain.ts'

export interface HurtOptions {
  readonly chain: StreamChain
  readonly lengthMs: number
  readonly everyMs: number
  /** Called with each turn of a node's fortune. */
  readonly onTurn: (sentence: string) => void
  readonly signal: AbortSignal
}

/** The part of the time between two misfortunes for which a node is down or frozen. */
const hurtPart = 0.6
const nearBlocks = 1
const catchUpWithinMs = 120_000

/**
 * Kills the nodes and pauses them, in turns, one at a time; a killed one starts again. The next one has to wait until the last one has
 * the chain's head. Returns the number of misfortunes; all nodes are well then.
 */
export async function hurtInTurns({ chain, lengthMs, everyMs, onTurn, signal }: HurtOptions): Promise<number> {
  const until = performance.now() + lengthMs
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal })
  let count = 0
  for (; performance.now() + everyMs <= until; count++) {
    const next = performance.now() + everyMs
    const place = count % chain.nodes.length
    const node = chain.nodes[place]!
    // Each node is killed in one round, and paused in the next.
    const round = Math.floor(count / chain.nodes.length)
    if ((place + round) % 2 === 0) {
      onTurn(`${node.name} is killed`)
      await node.kill()
      await pause(everyMs * hurtPart)
      await node.start()
      await chain.restarted(node)
      onTurn(`${node.name} runs again`)
    } else {
      onTurn(`${node.name} is paused`)
      node.pause()
      await pause(everyMs * hurtPart).finally(() => node.resume())
      onTurn(`${node.name} goes on`)
    }
    await caughtUp(chain, node, signal)
    await pause(Math.max(0, next - performance.now()))
  }
  await pause(Math.max(0, until - performance.now()))
  return count
}

/** Waits until a node has the chain's head. @throws Error where it does not within two minutes. */
export async function caughtUp(chain: StreamChain, node: NodeProcess, signal: AbortSignal): Promise<void> {
  const until = performance.now() + catchUpWithinMs
  while (performance.now() < until) {
    const head = await node.head()
    if (head !== undefined && head >= chain.height() - nearBlocks) return
    await sleep(100, undefined, { signal })
  }
  throw new Error(`${node.name} did not catch up within ${catchUpWithinMs / 1_000} s`)
}
