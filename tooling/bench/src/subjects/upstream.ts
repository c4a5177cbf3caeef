import { once } from 'node:events'
import type { BenchClock } from '../defaults.ts'
import { startNode } from './child.ts'

/** The node behind every subject. */
export interface Upstream extends AsyncDisposable {
  readonly port: number
  /** Requests that it has answered so far. */
  served(): Promise<number>
}

/** Starts a node that makes a block each `blockMs`, and answers after `delayMs`. */
export async function startUpstream(clock: BenchClock, blockMs = 12_000, delayMs = 0): Promise<Upstream> {
  const { child, port } = await startNode(clock, new URL('../upstream-process.ts', import.meta.url), [
    String(blockMs),
    String(delayMs),
  ])
  return {
    port,
    async served() {
      const answer = once(child.process, 'message')
      child.process.send('served')
      const [served] = (await answer) as [number]
      return served
    },
    [Symbol.asyncDispose]: child.close,
  }
}
