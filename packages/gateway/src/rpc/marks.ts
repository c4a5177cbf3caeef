import type { ServerResponse } from 'node:http'
import { defineExtension, type Extension, type RpcMeta } from '@wayleave/jsonrpc-core'
import { cacheOutcome, type CacheOutcome } from '@wayleave/rpc-cache'
import type { Position } from '@wayleave/upstream'
import { adaptedFrom, derivedFrom, verifiedMark, type VerifiedMark } from '@wayleave/network'
import type { Caller, Consistency } from '../context/context.ts'
import type { Directives } from '../config/directives.ts'
import type { ShownUpstreams } from '../served-network.ts'

/** The block at which a call was pinned, for callers with marks inside; carried by the meta of its answer. */
export const pinnedAt: Extension<Position> = defineExtension<Position>('pinnedAt')

/** The origin of an answer, as far as a caller may learn it. */
export interface Marks {
  /** The method from whose answer the gateway made this one. */
  readonly derivedFrom?: string
  /** The version that its node speaks, where it was translated, as in `X-Wayleave-Adapted-From`. */
  readonly adaptedFrom?: string
  /** Number and hash of the block at which it was pinned, as in `X-Wayleave-Block`. */
  readonly block?: string
  /** Whether the cache gave it, as in `X-Wayleave-Cache`. */
  readonly cache?: CacheOutcome
  /** How it was checked, as in `X-Wayleave-Verified`. */
  readonly verified?: VerifiedMark
}

/** Reads the marks of an answer; undefined where it is a node's own, not translated, not pinned, none that the cache may keep, and of a network that verifies nothing. */
export function marksOf(meta: RpcMeta): Marks | undefined {
  const method = derivedFrom.of(meta)
  const adapted = adaptedFrom.of(meta)
  const block = pinnedAt.of(meta)
  const cache = cacheOutcome.of(meta)
  const verified = verifiedMark.of(meta)
  if ([method, adapted, block, cache, verified].every((mark) => mark === undefined)) return undefined
  return {
    ...(method !== undefined && { derivedFrom: method }),
    ...(adapted !== undefined && { adaptedFrom: adapted }),
    ...(block !== undefined && { block: printBlock(block) }),
    ...(cache !== undefined && { cache }),
    ...(verified !== undefined && { verified }),
  }
}

/** Prints the marks of a single call over HTTP as flat headers. */
export function markHeaders(meta: RpcMeta | undefined): readonly string[] {
  const method = derivedFrom.of(meta)
  const adapted = adaptedFrom.of(meta)
  const cache = cacheOutcome.of(meta)
  const cached = cache === undefined ? none : cacheHeaders[cache]
  const verified = verifiedMark.of(meta)
  if (method === undefined && adapted === undefined && verified === undefined) return cached
  return [
    ...(method === undefined ? none : ['X-Wayleave-Derived-From', method]),
    ...(adapted === undefined ? none : ['X-Wayleave-Adapted-From', adapted]),
    ...(verified === undefined ? none : ['X-Wayleave-Verified', verified]),
    ...cached,
  ]
}

const none: readonly string[] = []
const cacheHeaders: Readonly<Record<CacheOutcome, readonly string[]>> = {
  hit: ['X-Wayleave-Cache', 'hit'],
  miss: ['X-Wayleave-Cache', 'miss'],
}

/** Prints the upstream that answered a single call over HTTP, by its name or its place, and the attempts that it took, as flat headers. */
export function upstreamHeaders(
  meta: RpcMeta | undefined,
  { upstreams, showsUpstream }: ShownUpstreams,
  project: string,
): readonly string[] {
  const { endpoint, attempts } = meta ?? {}
  if (endpoint === undefined || attempts === undefined) return none
  const place = upstreams.indexOf(endpoint)
  if (place === -1) return none
  const upstream = showsUpstream(project) ? endpoint : String(place + 1)
  return ['X-Wayleave-Upstream', upstream, 'X-Wayleave-Attempts', String(attempts)]
}

/** Makes the part of a caller that the directives of its request decide; `response` tells the block of a pinned one. */
export function wishesOf(
  { isPinned, inlineMarks, skipsCache, unknown }: Directives,
  response: ServerResponse | undefined,
): Pick<Caller, 'inlineMarks' | 'skipsCache' | 'consistency' | 'unknownDirective'> {
  const onBlock: Consistency['onBlock'] | undefined = isPinned
    ? (block) => {
        if (response?.headersSent === false) response.setHeader('X-Wayleave-Block', printBlock(block))
      }
    : undefined
  return { inlineMarks, skipsCache, consistency: onBlock && { onBlock }, unknownDirective: unknown }
}

function printBlock({ number, hash }: Position): string {
  return `0x${number.toString(16)} ${hash}`
}
