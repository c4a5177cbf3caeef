import type { RpcError } from '@wayleave/jsonrpc-core'
import { type DestinationStream, type Logger, pino } from 'pino'

/** Structured lines on stderr. Give it names, codes and trace ids; never a URL, a key or a header. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Default: stderr. */
  readonly destination?: DestinationStream
}

/** Tells why a call got no answer, under the trace id that its caller was given; of callers who left or were denied it tells nothing. */
export function logRejection(
  log: Log,
  where: { readonly traceId: string; readonly network: string },
  why: RpcError,
): void {
  if (why.code !== 'aborted' && why.code !== 'denied') log.warn({ ...where, code: why.code }, why.message)
}

export function createLog({ level, destination = stderr() }: LogOptions): Log {
  return pino({ level, base: null }, destination)
}

/** A full disk behind it, or a reader who left, costs lines and not the process. */
function stderr(): DestinationStream {
  const out = pino.destination({ fd: 2, sync: true })
  out.on('error', () => {})
  return out
}
