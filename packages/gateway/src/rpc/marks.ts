import type { ServerResponse } from 'node:http'
import { defineExtension, type Extension, type RpcMeta } from '@wayleave/jsonrpc-core'
import type { RequestHead } from '../http/head.ts'
import type { Caller, Consistency } from './context.ts'

/** The method from whose answer an answer was made, as no node has the one that was asked for; carried by its meta. */
export const derivedFrom: Extension<string> = defineExtension<string>('derivedFrom')

/** The origin of an answer, as far as a caller may learn it. */
export interface Marks {
  /** The method from whose answer the gateway made this one. */
  readonly derivedFrom: string
}

/** Reads the marks of an answer; undefined where it is a node's own. */
export function marksOf(meta: RpcMeta): Marks | undefined {
  const method = derivedFrom.of(meta)
  return method === undefined ? undefined : { derivedFrom: method }
}

/** Prints the marks of a single call over HTTP as flat headers. */
export function markHeaders(meta: RpcMeta | undefined): readonly string[] {
  const method = derivedFrom.of(meta)
  return method === undefined ? none : ['X-Wayleave-Derived-From', method]
}

const none: readonly string[] = []

/** The upstreams of a network, as their callers see them. */
export interface ShownUpstreams {
  /** The names, in the order of the configuration. */
  readonly upstreams: readonly string[]
  /** Whether a project is told upstreams by name. */
  showsUpstream(project: string): boolean
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

/** Reads the wishes of a request in its headers. */
export function wishesOf(
  { marks, consistency }: Pick<RequestHead, 'marks' | 'consistency'>,
  response: ServerResponse,
): Pick<Caller, 'inlineMarks' | 'consistency'> {
  const inlineMarks = asksForMarks(marks)
  if (consistency === undefined) return { inlineMarks }
  const onBlock: Consistency['onBlock'] = ({ number, hash }) => {
    if (!response.headersSent) response.setHeader('X-Wayleave-Block', `0x${number.toString(16)} ${hash}`)
  }
  return { inlineMarks, consistency: { asked: consistency.trim().toLowerCase(), onBlock } }
}

/** Tells whether the header `X-Wayleave-Marks` of a request or an upgrade asks for the member `wayleave` beside results. */
export function asksForMarks(header: string | undefined): boolean {
  return header?.trim().toLowerCase() === 'inline'
}
