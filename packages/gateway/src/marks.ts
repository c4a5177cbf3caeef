import type { RpcMeta } from '@wayleave/jsonrpc-core'

/** What a caller may learn of how an answer came about. */
export interface Marks {
  /** Made by the gateway from the answer to this method. */
  readonly derivedFrom: string
}

/** The marks of an answer; undefined where it is a node's own. */
export function marksOf({ derivedFrom }: RpcMeta): Marks | undefined {
  return derivedFrom === undefined ? undefined : { derivedFrom }
}

/** The marks of a single call over HTTP, as flat headers. */
export function markHeaders(meta: RpcMeta | undefined): readonly string[] {
  return meta?.derivedFrom === undefined ? none : ['X-Wayleave-Derived-From', meta.derivedFrom]
}

const none: readonly string[] = []

/** Whether the header `X-Wayleave-Marks` of a request or an upgrade asks for the member `wayleave` beside results. */
export function asksForMarks(header: string | undefined): boolean {
  return header?.trim().toLowerCase() === 'inline'
}
