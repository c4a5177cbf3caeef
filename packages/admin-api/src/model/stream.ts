import { array, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { StreamRecord } from '../stream-port.ts'
import { count, exact, words } from './fields.ts'

/** What callers of a network have open. */
export type NetworkStreams = StreamRecord

/** What callers have open, by network. */
export interface Streams {
  readonly items: readonly NetworkStreams[]
}

const name = words(1, 256)

export const streams: Schema<Streams> = exact<Streams>('open streams', {
  items: array(
    exact<NetworkStreams>('the streams of a network', {
      network: name,
      sockets: count,
      eventStreams: count,
      kinds: array(exact<NetworkStreams['kinds'][number]>('a kind', { kind: name, subscribers: count })),
      filters: array(exact<NetworkStreams['filters'][number]>('the filters of a project', { project: name, count })),
      relays: count,
    }),
  ),
})
