import { type CallContext, createContext } from './context.ts'
import { printError } from './frame.ts'
import type { RpcReply } from './server.ts'

/** The options of a host that serves JSON-RPC over HTTP. `R`: its requests. */
export interface HttpHostOptions<R, C extends CallContext = CallContext> {
  /** Makes the context of a request. It must accept no streams. Default: one with `timeoutMs`. */
  readonly createContext?: (request: R) => C
  /** Time that a request may take, its body included, in ms. Default 30,000. */
  readonly timeoutMs?: number
  /** Longest body, in bytes; no longer than the server's. Default 5 MiB. */
  readonly maxBodyBytes?: number
}

/** Longest body of a request, in bytes, where a host names no other. */
export const usualBodyBytes: number = 5 * 1024 * 1024

/** Makes the context of a request. */
export function contextOf<R, C extends CallContext>(request: R, options: HttpHostOptions<R, C>): C {
  return options.createContext?.(request) ?? (createContext({ timeoutMs: options.timeoutMs }) as C)
}

/** The headers of an answer with a body. */
export const json: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

const statuses = { calls: 200, empty: 200, parse_error: 400, too_large: 413 } as const
const ofRejections = { aborted: 503, denied: 403, overloaded: 503, timeout: 504, unavailable: 500 } as const

/** Finds the HTTP status of a reply: 502 where a peer behind the handler gave no answer. */
export function statusOf({ kind, rejected }: RpcReply): number {
  if (rejected === undefined) return statuses[kind]
  return (ofRejections as Partial<Record<string, number>>)[rejected.code] ?? 502
}

/** A request that has no reply: its status, and a JSON-RPC error. */
export interface HttpRefusal {
  readonly status: number
  readonly body: string
}

/** Refuses a method other than POST. Its answer has `Allow: POST`. */
export const notPost: HttpRefusal = refusal(405, 'JSON-RPC is served by POST')
export const lateBody: HttpRefusal = refusal(408, 'the body did not come in time')
export const brokenBody: HttpRefusal = refusal(400, 'the body broke off')

/** Refuses a body that is longer than `cap` bytes. */
export function longBody(cap: number): HttpRefusal {
  return refusal(413, `content length too large (more than ${cap})`)
}

function refusal(status: number, message: string): HttpRefusal {
  return { status, body: printError('null', { code: -32600, message }) }
}

/** Joins chunks into one. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
