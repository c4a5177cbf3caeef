import { randomFillSync, randomUUID } from 'node:crypto'
import { type Clock, systemClock as processClock } from '@wayleave/jsonrpc-core'

/** Makes an id that no other process has. */
export const newId: () => string = randomUUID

/** Formats a time in ms since the epoch as ISO 8601, in UTC. */
export const isoTimeOf = (ms: number): string => new Date(ms).toISOString()

/** Waits. Only this file of the package uses real time. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** Waits for `work`, but no longer than `ms`. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([work, over]).finally(() => clearTimeout(timer))
}

/** The real clock. Its timers keep no process alive. */
export const systemClock: Clock = {
  ...processClock,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** Makes that many random bytes, which nothing can compress. */
export function noise(bytes: number): Uint8Array {
  return randomFillSync(new Uint8Array(bytes))
}
