import { subscribe } from 'node:diagnostics_channel'

/** A connection that is kept between calls. */
export interface KeptSocket {
  /** Set once the head of an answer has come over it. */
  hasAnswered?: boolean
}

/** A request whose connection is learnt when it is written. */
interface Sender {
  sentOn(socket: KeptSocket): void
}

let sender: Sender | undefined
let isWatching = false

/** Begins to learn the connections of requests from undici, which reports each as it writes its head. */
export function watchConnections(): void {
  if (isWatching) return
  isWatching = true
  subscribe('undici:client:sendHeaders', (message) => {
    sender?.sentOn((message as { readonly socket: KeptSocket }).socket)
    sender = undefined
  })
}

/** Names the request that undici writes next, in the same turn. */
export function writesNext(next: Sender): void {
  sender = next
}
