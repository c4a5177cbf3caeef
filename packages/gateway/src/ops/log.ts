import { type DestinationStream, type Logger, pino } from 'pino'

/** Structured lines on stderr. Give it names, codes and trace ids; never a URL, a key or a header. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Default: stderr. */
  readonly destination?: DestinationStream
}

/** Creates a log that writes a JSON object a line. */
export function createLog({ level, destination = stderr() }: LogOptions): Log {
  return pino({ level, base: null }, destination)
}

/** Opens stderr. A full disk behind it, or a reader who left, costs lines and not the process. */
function stderr(): DestinationStream {
  const out = pino.destination({ fd: 2, sync: true })
  out.on('error', () => {})
  return out
}
