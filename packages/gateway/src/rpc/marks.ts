import { defineExtension, type Extension, type RpcMeta } from '@wayleave/jsonrpc-core'

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

/** Tells whether the header `X-Wayleave-Marks` of a request or an upgrade asks for the member `wayleave` beside results. */
export function asksForMarks(header: string | undefined): boolean {
  return header?.trim().toLowerCase() === 'inline'
}
