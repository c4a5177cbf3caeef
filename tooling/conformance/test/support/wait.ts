import { setTimeout as sleep } from 'node:timers/promises'

/** A grace or a limit, in ms, whose end no test lives to see: what waited for it would time out. */
export const anHour = 3_600_000

/** Waits until `condition` holds; throws where it does not within `ms`. */
export async function until(what: string, condition: () => boolean, ms = 40_000): Promise<void> {
  for (const end = performance.now() + ms; !condition(); await sleep(5)) {
    if (performance.now() > end) throw new Error(`expected within ${ms} ms: ${what}`)
  }
}
