import { Child } from '../starvation/measure/child.ts'
import type { ChainPace } from './cache-chain.ts'

export interface CacheNode {
  readonly url: string
  /** The calls since it was asked last, by method. */
  takeCalls(): Promise<Readonly<Record<string, number>>>
}

/** Starts a node in a process of its own, which ends with `stack`. */
export async function startCacheNode(stack: AsyncDisposableStack, pace: ChainPace): Promise<CacheNode> {
  const child = stack.use(new Child(new URL('cache-node.ts', import.meta.url)))
  const url = await child.ask<string>('start', pace)
  return { url, takeCalls: () => child.ask('takeCalls') }
}
