import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, AttackContext } from '../family.ts'

export interface RepeatOptions {
  /** How many connections there are; each sends its next request when the last was answered. */
  readonly connections: number
  /** Requests a second of all connections together, at most. Default: no bound. */
  readonly perSecond?: number
  /** Default: that of a call to JSON-RPC with the attacker's key. */
  readonly url?: () => string
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>)
  readonly body: () => string | Uint8Array
  /** Called with each answer. */
  readonly onAnswer?: (text: string) => void
}

/** The pause after a failed connection, in ms. */
const pauseMs = 100

/** Sends requests in a closed loop on each connection, reads all answers, and counts requests and statuses. */
export function repeatRequests(context: AttackContext, options: RepeatOptions): Attack {
  const { connections, perSecond = Number.POSITIVE_INFINITY, headers = {}, body, onAnswer } = options
  const { url = () => context.rpc + context.path } = options
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const spanMs = (connections * 1000) / perSecond
  const stopped = new AbortController()

  function once(): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = body()
      const length = Buffer.byteLength(sent)
      const own = typeof headers === 'function' ? headers() : headers
      const asked = request(url(), { method: 'POST', agent, headers: { ...own, 'content-length': length } })
      asked.on('response', (response) => {
        context.tally(String(response.statusCode))
        let text = ''
        if (onAnswer !== undefined) response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
        response.on('error', reject).resume()
        response.on('end', () => {
          onAnswer?.(text)
          resolve()
        })
      })
      asked.on('error', reject)
      asked.end(sent)
      context.tally('sent')
    })
  }

  async function repeat(): Promise<void> {
    while (!stopped.signal.aborted) {
      const begun = performance.now()
      try {
        await once()
      } catch (thrown) {
        if (stopped.signal.aborted) return
        context.tally((thrown as NodeJS.ErrnoException).code ?? 'error')
        await sleep(pauseMs)
      }
      const left = spanMs - (performance.now() - begun)
      if (left > 0) await sleep(left)
    }
  }

  for (let i = 0; i < connections; i++) void repeat()
  return {
    stop() {
      stopped.abort()
      agent.destroy()
    },
  }
}
