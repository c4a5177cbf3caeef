import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

/** The end of a promise; `hang` if it did not end in time. */
export type Settled =
  | { readonly how: 'fulfilled'; readonly value: unknown }
  | { readonly how: 'rejected'; readonly why: unknown }
  | { readonly how: 'hang' }

/** Waits for a promise for at most `ms`. */
export async function settle(promise: Promise<unknown>, ms: number): Promise<Settled> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      promise.then(
        (value): Settled => ({ how: 'fulfilled', value }),
        (why: unknown): Settled => ({ how: 'rejected', why }),
      ),
      sleep(ms, { how: 'hang' } as const, { signal: timer.signal }),
    ])
  } finally {
    timer.abort()
  }
}

/** Prints everything that can be read from an error: message, stack, members, hidden members and causes. */
export function fullText(thrown: unknown): string {
  return [
    inspect(thrown, { depth: Infinity, showHidden: true, maxStringLength: Infinity }),
    safeJson(thrown),
    String(thrown),
  ].join('\n')
}

/** Lists an error and its causes. */
export function chainOf(thrown: unknown): readonly Readonly<Record<string, unknown>>[] {
  const chain: Readonly<Record<string, unknown>>[] = []
  let link: unknown = thrown
  while (typeof link === 'object' && link !== null && !chain.includes(link as never)) {
    chain.push(link as Readonly<Record<string, unknown>>)
    const { cause, error, innerError } = link as Record<string, unknown>
    link = cause ?? innerError ?? error
  }
  return chain
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
