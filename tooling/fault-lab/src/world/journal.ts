/** One thing that happened, for the trace and for people. */
export interface Entry {
  /** Virtual ms since the beginning. */
  readonly at: number
  /** The name of an upstream, `chain`, `gateway` or a caller. */
  readonly who: string
  readonly what:
    | 'block'
    | 'reorg'
    | 'fault'
    | 'over'
    | 'asked'
    | 'answered'
    | 'failed'
    | 'opened'
    | 'closed'
    | 'pushed'
    | 'sent'
    | 'mined'
    | (string & {})
  readonly text: string
}

/** All that happened in a run, in order. */
export interface Journal {
  readonly entries: readonly Entry[]
  note(who: string, what: Entry['what'], text: string): void
}

export function createJournal(now: () => number): Journal {
  const entries: Entry[] = []
  return {
    entries,
    note: (who, what, text) => void entries.push({ at: now(), who, what, text }),
  }
}
