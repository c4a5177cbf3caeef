import { array, boolean, integer, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { NetworkRecord, UpstreamRecord } from '../ports.ts'
import { exact, words } from './fields.ts'

/** A network and its upstreams, as the process that answers sees them. */
export type Network = NetworkRecord
/** The state of an upstream. */
export type Upstream = UpstreamRecord

/** The cordon of an upstream. */
export interface Cordon {
  /** 1 to 200 characters. Default: that none was given. */
  readonly reason?: string
}

/** The networks of a gateway. */
export interface Networks {
  readonly items: readonly Network[]
}

const text = words(1, 1_000)

const upstream: Schema<Upstream> = exact<Upstream>('an upstream', {
  name: text,
  isUp: boolean,
  reason: optional(text),
  cordoned: optional(text),
  head: optional(integer('a block number', 0)),
  lag: optional(integer('a number of blocks')),
})

export const networks: Schema<Networks> = exact<Networks>('networks', {
  items: array(exact<Network>('a network', { name: text, upstreams: array(upstream) })),
})
export const cordon: Schema<Cordon> = exact<Cordon>('{ reason? }', { reason: optional(words(1, 200)) })
