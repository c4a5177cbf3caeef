import { Child } from '../../starvation/measure/child.ts'
import type { Gateway } from '../gateways/gateway.ts'
import type { LoadOptions, LoadResult } from './load-program.ts'

/** Calls a second, of all scenarios in which the rate counts. */
export const perSecond = 100

/** Starts calling a gateway in another process; resolves when all calls have ended. @throws Error when `signal` ends it */
export async function startLoad(
  { url, upstreamHeader }: Pick<Gateway, 'url' | 'upstreamHeader'>,
  options: Pick<LoadOptions, 'calls'> & Partial<LoadOptions>,
  signal: AbortSignal,
): Promise<LoadResult> {
  signal.throwIfAborted()
  await using child = new Child(new URL('load-program.ts', import.meta.url))
  const end = (): void => void child[Symbol.asyncDispose]()
  signal.addEventListener('abort', end)
  try {
    const defaults = { url, upstreamHeader, perSecond, reads: 'balances', account: '' }
    return await child.ask<LoadResult>('run', { ...defaults, ...options })
  } finally {
    signal.removeEventListener('abort', end)
  }
}
