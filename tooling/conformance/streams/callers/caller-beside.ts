import { setTimeout as sleep } from 'node:timers/promises'

/** A caller who asks over HTTP, one call at a time. */
export interface CallerBeside {
  /** Ends it; gives its round trips, in ms. */
  stop(): Promise<number[]>
}

const everyMs = 10
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
const headers = { 'content-type': 'application/json' }

/** Starts a caller of the gateway at an address with its key. */
export function startCallerBeside(url: string): CallerBeside {
  const times: number[] = []
  const ending = new AbortController()

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const began = performance.now()
      const answer = await fetch(url, { method: 'POST', headers, body })
      await answer.text()
      times.push(performance.now() - began)
      await sleep(everyMs)
    }
  }

  const ran = run()
  return {
    async stop() {
      ending.abort()
      await ran
      return times
    },
  }
}
