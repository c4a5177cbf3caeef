import type { Clock } from '@wayleave/jsonrpc-core'

/** Settles with `work`, or rejects after `ms`. */
export function inTime<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => reject(new Error(`the authority of limits gave no answer in ${ms} ms`)))
    work.finally(stop).then(resolve, reject)
  })
}
