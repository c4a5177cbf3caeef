/** The height that any client of this process was told: none may be told less by a call that it begins later. */
export interface Reported {
  head: number
}

/** A fault, for people who look for its cause. */
export interface Note {
  /** Seconds since the clients began. */
  readonly second: number
  /** The misfortune of the nodes at that time. */
  readonly phase: string
  readonly client: string
  readonly sentence: string
}

/** The figures of one client. Times in ms. */
export interface Figures {
  readonly client: string
  readonly reads: number
  /** The longest time from the first attempt of a read to its answer, repeats after failures included. */
  readonly longestStallMs: number
  /** Heads, and blocks by the tag `latest`, that were lower than one told before. */
  readonly headsBack: number
  /** Pending nonces that were lower than one told before, or than that of a transaction that was accepted. */
  readonly noncesBack: number
  readonly announced: number
  /** The longest time without an announcement. */
  readonly longestSilenceMs: number
  /** Announced blocks that could not be read at once, by hash or with their state. */
  readonly unreadable: number
  readonly sent: number
  /** The longest time that a transaction took to be accepted or refused. */
  readonly longestSendMs: number
  /** Times that a client lost its connection and needed another one. */
  readonly reconnects: number
  /** Failed calls by what failed, and the message without its numbers. */
  readonly failures: Readonly<Record<string, number>>
}

export interface Observer {
  /** Notes a read that has been answered, or given up at the end of the run. */
  answered(what: string, ms: number): void
  head(what: string, number: number, floor: number, from?: string): void
  nonce(nonce: number, floor: number, from?: string): void
  accepted(): void
  /** Notes the end of a call that sent a transaction, also of one that failed. */
  sending(ms: number): void
  announced(number: number): void
  unreadable(sentence: string): void
  failed(what: string, why: unknown): void
  reconnected(): void
  figures(): Figures
}

export interface ObserverOptions {
  readonly client: string
  readonly reported: Reported
  readonly onNote: (client: string, sentence: string) => void
  /** The time from which a read that takes so long is noted, in ms. */
  readonly noteStallMs: number
}

/** Collects what one client sees. */
export function createObserver({ client, reported, onNote, noteStallMs }: ObserverOptions): Observer {
  const failures: Record<string, number> = {}
  const counts = { reads: 0, headsBack: 0, noncesBack: 0, announced: 0, unreadable: 0, sent: 0, reconnects: 0 }
  let longestStallMs = 0
  let longestSilenceMs = 0
  let longestSendMs = 0
  let heardAt: number | undefined
  const note = (sentence: string): void => onNote(client, sentence)

  function heard(): void {
    const now = performance.now()
    if (heardAt !== undefined) longestSilenceMs = Math.max(longestSilenceMs, now - heardAt)
    heardAt = now
  }
  return {
    answered(what, ms) {
      counts.reads++
      longestStallMs = Math.max(longestStallMs, ms)
      if (ms >= noteStallMs) note(`${what} took ${(ms / 1_000).toFixed(1)} s`)
    },
    head(what, number, floor, from) {
      if (number < floor) {
        counts.headsBack++
        note(`${what} gave ${number} after ${floor} was told${by(from)}`)
      }
      reported.head = Math.max(reported.head, number)
    },
    nonce(nonce, floor, from) {
      if (nonce >= floor) return
      counts.noncesBack++
      note(`the pending nonce was ${nonce} after ${floor}${by(from)}`)
    },
    accepted() {
      counts.sent++
    },
    sending(ms) {
      longestSendMs = Math.max(longestSendMs, ms)
      if (ms >= noteStallMs) note(`sending took ${(ms / 1_000).toFixed(1)} s`)
    },
    announced(number) {
      counts.announced++
      heard()
      reported.head = Math.max(reported.head, number)
    },
    unreadable(sentence) {
      counts.unreadable++
      note(sentence)
    },
    failed(what, why) {
      const key = `${what}: ${messageOf(why)}`
      if (failures[key] === undefined) note(`first failure of ${key}`)
      failures[key] = (failures[key] ?? 0) + 1
    },
    reconnected() {
      counts.reconnects++
      note('its connection was lost')
    },
    figures() {
      if (heardAt !== undefined) longestSilenceMs = Math.max(longestSilenceMs, performance.now() - heardAt)
      return { client, ...counts, longestStallMs, longestSilenceMs, longestSendMs, failures: { ...failures } }
    },
  }
}

const by = (from: string | undefined): string => (from === undefined ? '' : ` (answered by ${from})`)

const longestMessage = 140

/** The message of a failure without what differs from call to call. */
export function messageOf(why: unknown): string {
  const { details, shortMessage, error, info, message } = Object(why) as Readonly<Record<string, unknown>>
  const { error: asked, responseBody } = Object(info) as Readonly<Record<string, unknown>>
  const inner = [error, asked].map((each) => (Object(each) as { readonly message?: unknown }).message)
  const texts = [details, ...inner, responseBody, shortMessage, message, why]
  const text = texts.find((each) => typeof each === 'string' && each !== '') ?? String(why)
  return String(text)
    .split('\n')[0]!
    .replaceAll(/0x[\da-f]+/gi, '0x…')
    .replaceAll(/\d+/g, 'N')
    .slice(0, longestMessage)
}
