import { array, boolean, integer, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { NetworkRecord, UpstreamRecord } from '../ports.ts'
import { exact, words } from './fields.ts'
import { type Items, itemsOf } from './page.ts'

/** The cordon of an upstream. */
export interface Cordon {
  /** 1 to 200 characters. Default: that none was given. */
  readonly reason?: string
}

const text = words(1, 1_000)

const upstream: Schema<UpstreamRecord> = exact<UpstreamRecord>('an upstream', {
  name: text,
  isUp: boolean,
  reason: optional(text),
  cordoned: optional(text),
  head: optional(integer('a block number', 0)),
  lag: optional(integer('a number of blocks')),
})

export const networks: Schema<Items<NetworkRecord>> = itemsOf(
  'networks',
  exact<NetworkRecord>('a network', { name: text, upstreams: array(upstream) }),
)
export const cordon: Schema<Cordon> = exact<Cordon>('{ reason? }', { reason: optional(words(1, 200)) })
