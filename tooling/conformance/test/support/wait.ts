import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `condition` holds; throws where it does not within `ms`. */
export async function until(what: string, condition: () => boolean, ms = 5_000): Promise<void> {
  for (const end = performance.now() + ms; !condition(); await sleep(5)) {
    if (performance.now() > end) throw new Error(`expected within ${ms} ms: ${what}`)
  }
}

/** How long `work` took, in ms, with what it gave. */
export async function timed<T>(work: Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const start = performance.now()
  const value = await work
  return { value, ms: performance.now() - start }
}
