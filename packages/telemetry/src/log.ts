import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { type DestinationStream, type Logger, pino } from 'pino'
import { backgroundClock } from './defaults.ts'
import { createLineWriter } from './line-writer.ts'
import { createLogRepeats, type LogRepeats } from './log-repeats.ts'
import { openStderr } from './stderr.ts'
import { printTextLine } from './text-line.ts'

/**
 * Structured lines on stderr. Give it names, codes and trace ids; never a URL, a key or a header. Writing never waits: up to 1 MiB is
 * kept for a reader who is behind, further lines are lost and counted, and a line says how many, once the reader is back.
 */
export interface Log extends Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> {
  /** For lines that callers or upstreams can bring about as often as they like. */
  readonly repeats: LogRepeats
  /** Takes this level and format from now on; what is left out, as when it was created. */
  adapt(settings: Partial<Pick<LogOptions, 'level' | 'format'>>): void
  /** Lines lost so far. */
  droppedLines(): number
  /** Writes the counts of {@link Log.repeats}, and waits up to a second for a reader who is behind. Later lines are lost. */
  close(): Promise<void>
}

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** A JSON object a line, or text for people. Default `json`. */
  readonly format?: 'json' | 'text'
  /** Members of each line. Default: none. */
  readonly members?: Readonly<Record<string, number | string>>
  /** Default: stderr. */
  readonly destination?: DestinationStream
  /** Default: the real one; a log that is not closed does not keep the process alive. */
  readonly clock?: Clock
}

/** Longest text of a stranger in a line, in characters. */
const longestText = 300

/** Reads the class of an error, to tell kinds of failures apart. */
export function errorClass(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown
}

/** Cuts a text that a stranger chose, such as an endpoint's error message. */
export function shortened(text: string): string {
  return text.slice(0, longestText)
}

/** Creates a log. */
export function createLog({ level, format = 'json', members, destination, clock }: LogOptions): Log {
  const background = clock ?? backgroundClock
  const writer = createLineWriter({
    open: openStderr,
    clock: clock ?? systemClock,
    background,
    onRecovered: (lost) => lines.error({ lost }, 'lines of the log were lost, as nobody read them in time'),
  })
  const out = destination ?? writer
  let isText = format === 'text'
  const write = (line: string): void => void out.write(isText ? printTextLine(line) : line)
  const lines: Logger = pino({ level, base: members ?? null }, { write })
  const repeats = createLogRepeats({ log: lines, clock: background })
  // Another level gives pino other methods.
  const at = (name: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    ((...args: Parameters<Logger['info']>) => lines[name](...args)) as Logger['info']
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    repeats,
    adapt(settings) {
      lines.level = settings.level ?? level
      isText = (settings.format ?? format) === 'text'
    },
    droppedLines: writer.droppedLines,
    close() {
      repeats.flush()
      return writer.close()
    },
  }
}
