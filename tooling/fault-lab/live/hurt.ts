import { setTimeout as sleep } from 'node:timers/promises'
import { caughtUp } from '@wayleave/conformance/two-nodes/rounds'
import type { LiveChain } from './nodes/live-chain.ts'
import type { Misfortune } from './schedule.ts'

export interface HurtOptions {
  readonly chain: LiveChain
  readonly schedule: readonly Misfortune[]
  readonly lengthMs: number
  /** The longest that a misfortune waits for another node to be well, in ms; after that it is left out. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  /** Called when a node's fortune turns, with a sentence without a full stop. */
  readonly onTurn: (sentence: string) => void
}

/** The misfortunes that came true, by kind. */
export interface Hurts {
  readonly kills: number
  readonly pauses: number
  readonly leftOut: number
}

/**
 * Kills and pauses nodes by a schedule. At least one node is always well: up, and with the chain's head. Resolves when the time is over
 * and all nodes are well.
 * @throws Error where a node does not catch up.
 */
export async function hurtBySchedule(options: HurtOptions): Promise<Hurts> {
  const { chain, schedule, lengthMs, patienceMs, signal, onTurn } = options
  const beganAt = performance.now()
  const hurt = new Set<number>()
  const counts = { kills: 0, pauses: 0, leftOut: 0 }
  const healing: Promise<void>[] = []
  let failure: unknown
  const pause = (ms: number): Promise<void> => sleep(Math.max(0, ms), undefined, { signal })
  const mayHurt = (index: number): boolean => !hurt.has(index) && hurt.size < chain.nodes.length - 1

  async function suffer({ node: index, kind, forMs }: Misfortune): Promise<void> {
    const node = chain.nodes[index]!
    const seconds = `${(forMs / 1_000).toFixed(1)} s`
    if (kind === 'kill') {
      counts.kills++
      onTurn(`${node.name} is killed for ${seconds}`)
      await chain.kill(node)
      await pause(forMs)
      onTurn(`${node.name} starts`)
      await chain.start(node)
    } else {
      counts.pauses++
      onTurn(`${node.name} is paused for ${seconds}`)
      await chain.pause(node)
      await pause(forMs)
      onTurn(`${node.name} goes on`)
      chain.resume(node)
    }
    await caughtUp(chain, node, signal)
    onTurn(`${node.name} is well`)
    hurt.delete(index)
  }

  for (const misfortune of schedule) {
    await pause(beganAt + misfortune.at - performance.now())
    const until = performance.now() + patienceMs
    while (!mayHurt(misfortune.node) && performance.now() < until) await pause(100)
    if (failure !== undefined) throw failure
    if (mayHurt(misfortune.node)) {
      hurt.add(misfortune.node)
      healing.push(suffer(misfortune).catch((thrown: unknown) => void (failure ??= thrown)))
    } else {
      counts.leftOut++
      onTurn(`${chain.nodes[misfortune.node]!.name} is spared: the others are not well yet`)
    }
  }
  await Promise.all(healing)
  if (failure !== undefined) throw failure
  await pause(beganAt + lengthMs - performance.now())
  return counts
}
