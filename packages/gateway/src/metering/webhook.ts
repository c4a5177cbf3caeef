import { createHmac } from 'node:crypto'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { WebhookConfig } from '../config/metering-config.ts'
import { pause } from '../waits.ts'

/** Tells another service of events, one after the other, signed as Standard Webhooks 1.0 says. */
export interface Webhook {
  /** Sends an event soon. At most 100 wait. */
  send(type: string, data: object): void
  /** Lets a delivery end for up to two seconds; what waits is dropped. */
  close(): Promise<void>
}

export interface WebhookOptions extends WebhookConfig {
  readonly clock: Clock
  /** Makes the id of an event, which all tries have in common. */
  readonly newId: () => string
  /** Called with each event that was given up; `why` names no URL. */
  readonly onLost: (why: string) => void
  readonly fetch?: typeof globalThis.fetch
}

interface Event {
  readonly id: string
  readonly body: string
}

const mostWaiting = 100
/** Time before each further try, in ms. */
const pauses: readonly number[] = [1_000, 4_000, 16_000, 64_000]
/** Longest wait for an answer, in ms. */
const tryMs = 10_000
const closeMs = 2_000

/** Creates a {@link Webhook}. Nothing is opened before its first event. */
export function createWebhook(options: WebhookOptions): Webhook {
  const { url, clock, newId, onLost, fetch = globalThis.fetch } = options
  const key = keyOf(options.secret)
  const waiting: Event[] = []
  const closing = new AbortController()
  let delivering: Promise<void> | undefined
  let isClosed = false

  async function deliverAll(): Promise<void> {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const failure = isClosed ? 'the gateway ends' : await deliver(event)
      if (failure !== undefined) onLost(failure)
    }
    delivering = undefined
  }

  /** Delivers an event; returns why it was given up. */
  async function deliver(event: Event): Promise<string | undefined> {
    let failure = await post(event)
    for (const ms of pauses) {
      if (failure === undefined || isClosed) return failure
      await pause(ms, clock, closing.signal)
      if (!isClosed) failure = await post(event)
    }
    return failure
  }

  /** Tries once; returns why it failed. */
  async function post({ id, body }: Event): Promise<string | undefined> {
    const timestamp = String(Math.floor(clock.date() / 1_000))
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const trying = new AbortController()
    const stop = clock.after(tryMs, () => trying.abort())
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([trying.signal, closing.signal]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `its answer is ${response.status}`
    } catch {
      return trying.signal.aborted ? 'it does not answer' : 'it cannot be reached'
    } finally {
      stop()
    }
  }

  return {
    send(type, data) {
      if (isClosed) return
      if (waiting.length >= mostWaiting) return onLost(`${mostWaiting} others wait`)
      // oxlint-disable-next-line no-restricted-globals -- reads no clock
      const timestamp = new Date(clock.date()).toISOString()
      waiting.push({ id: newId(), body: JSON.stringify({ type, timestamp, data }) })
      delivering ??= deliverAll()
    },
    async close() {
      isClosed = true
      const stop = clock.after(closeMs, () => closing.abort())
      await delivering
      stop()
    },
  }
}

/** The bytes of the key: a secret with this prefix holds them in base64. */
function keyOf(secret: string): Buffer {
  const prefix = 'whsec_'
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret)
}
