import type { Client } from 'pg'
import { systemClock } from './defaults.ts'

const firstRetryMs = 1_000
const lastRetryMs = 30_000

/** Passes on PostgreSQL's notices on a channel. */
export interface PostgresListener {
  /** Calls `wake` at each notice, and after each connection that was lost; the function returned ends that. */
  listen(wake: () => void): () => void
  close(): void
}

/** Listens on a connection of its own, opened with the first listener and anew when it breaks. No notice is promised to come. */
export function listenTo(channel: string, connect: () => Client): PostgresListener {
  const wakes = new Set<() => void>()
  let client: Client | undefined
  let retryMs = firstRetryMs
  let stopWaiting: (() => void) | undefined

  function drop(): void {
    stopWaiting?.()
    const old = client
    client = undefined
    // A server that is silent does not end its side, so the promise may take long.
    old?.end().catch(() => {})
  }

  function open(): void {
    const opened = connect()
    client = opened
    const lost = (): void => {
      if (client !== opened) return
      drop()
      stopWaiting = systemClock.after(retryMs, open)
      retryMs = Math.min(retryMs * 2, lastRetryMs)
    }
    opened.on('error', lost)
    opened.on('end', lost)
    opened.on('notification', () => {
      for (const wake of wakes) wake()
    })
    opened
      .connect()
      .then(() => opened.query(`listen ${channel}`))
      .then(() => {
        retryMs = firstRetryMs
        for (const wake of wakes) wake()
      })
      .catch(lost)
  }

  return {
    listen(wake) {
      // Each listener counts on its own, even if two are one function.
      const own = (): void => wake()
      wakes.add(own)
      if (wakes.size === 1) open()
      return () => {
        if (wakes.delete(own) && wakes.size === 0) drop()
      }
    },
    close() {
      wakes.clear()
      drop()
    },
  }
}
