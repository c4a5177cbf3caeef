import { defineExtension, type Extension, type RpcMeta } from '@wayleave/jsonrpc-core'

/** Carried by the meta of an answer that was made from that of this method, because no node has the one that was asked for. */
export const derivedFrom: Extension<string> = defineExtension<string>('derivedFrom')

/** What a caller may learn of how an answer came about. */
export interface Marks {
  /** Made by the gateway from the answer to this method. */
  readonly derivedFrom: string
}

/** The marks of an answer; undefined where it is a node's own. */
export function marksOf(meta: RpcMeta): Marks | undefined {
  const method = derivedFrom.of(meta)
  return method === undefined ? undefined : { derivedFrom: method }
}

/** The marks of a single call over HTTP, as flat headers. */
export function markHeaders(meta: RpcMeta | undefined): readonly string[] {
  const method = derivedFrom.of(meta)
  return method === undefined ? none : ['X-Wayleave-Derived-From', method]
}

const none: readonly string[] = []

/** Whether the header `X-Wayleave-Marks` of a request or an upgrade asks for the member `wayleave` beside results. */
export function asksForMarks(header: string | undefined): boolean {
  return header?.trim().toLowerCase() === 'inline'
}
