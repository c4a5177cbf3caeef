import { array, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { StreamRecord } from '../stream-port.ts'
import { count, exact, words } from './fields.ts'
import { type Items, itemsOf } from './page.ts'

const name = words(1, 256)

export const streams: Schema<Items<StreamRecord>> = itemsOf(
  'open streams',
  exact<StreamRecord>('the streams of a network', {
    network: name,
    sockets: count,
    eventStreams: count,
    kinds: array(exact<StreamRecord['kinds'][number]>('a kind', { kind: name, subscribers: count })),
    filters: array(exact<StreamRecord['filters'][number]>('the filters of a project', { project: name, count })),
    relays: count,
  }),
)
