import type { Clock } from '@wayleave/jsonrpc-core'

type Fields = Readonly<Record<string, unknown>>
type Write = (fields: Fields, text: string) => void

export interface LogRepeatsOptions {
  readonly log: { readonly warn: Write; readonly error: Write }
  readonly clock: Clock
  /** Most kinds told apart; further ones count as one kind. Default 500. */
  readonly maxKinds?: number
}

/**
 * Lines of the log that say the same again and again. The first of a kind is written at once. Further ones are counted: every 10 s, the
 * latest of them is written with a member `repeated`, the number of lines that it stands for.
 */
export interface LogRepeats {
  warn(kind: readonly string[], fields: Fields, text: string): void
  error(kind: readonly string[], fields: Fields, text: string): void
  /** Writes what is counted now, and waits for nothing more. */
  flush(): void
}

/** Time between two lines of a kind, in ms. */
const betweenMs = 10_000
/** The kind of those that are too many; no caller's kind is empty. */
const others = ''

interface Line {
  readonly level: 'warn' | 'error'
  readonly fields: Fields
  readonly text: string
}

interface Kind {
  /** How often it came since it was written last. */
  repeated: number
  last: Line
  stop: () => void
}

/** Creates {@link LogRepeats}. */
export function createLogRepeats({ log, clock, maxKinds = 500 }: LogRepeatsOptions): LogRepeats {
  const kinds = new Map<string, Kind>()

  function emit(key: string): boolean {
    const { repeated, last } = kinds.get(key)!
    if (repeated > 0) log[last.level]({ ...last.fields, repeated }, last.text)
    return repeated > 0
  }

  function due(key: string): void {
    const state = kinds.get(key)!
    if (!emit(key)) return void kinds.delete(key)
    state.repeated = 0
    state.stop = clock.after(betweenMs, () => due(key))
  }

  function report(kind: readonly string[], line: Line): void {
    let key = kind.join('\0')
    if (!kinds.has(key) && kinds.size >= maxKinds) key = others
    const known = kinds.get(key)
    if (known !== undefined) {
      known.repeated++
      known.last = line
      return
    }
    kinds.set(key, { repeated: 0, last: line, stop: clock.after(betweenMs, () => due(key)) })
    log[line.level](line.fields, line.text)
  }

  return {
    warn: (kind, fields, text) => report(kind, { level: 'warn', fields, text }),
    error: (kind, fields, text) => report(kind, { level: 'error', fields, text }),
    flush() {
      for (const [key, { stop }] of kinds) {
        stop()
        emit(key)
      }
      kinds.clear()
    },
  }
}
