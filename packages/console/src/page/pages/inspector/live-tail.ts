import type { DroppedCalls, LiveCall } from '@wayleave/admin-api'
import { signal, type Signal } from '@preact/signals'
import { errorOf, parse, send } from '../../api/ask.ts'
import { asConsoleError, ConsoleError } from '../../api/console-error.ts'
import { readEvents } from '../../api/read-events.ts'
import { browser } from '../../defaults.ts'

/** The most calls that are kept; the oldest go first. */
export const mostCalls = 5_000

/** Calls to show: members of the query of `/calls/live`. */
export type Wanted = Readonly<Record<string, string | undefined>>

/** How the connection is. */
export type TailState =
  | { readonly kind: 'connecting' | 'live' }
  | { readonly kind: 'waiting'; readonly error: ConsoleError; readonly ms: number }

const firstWaitMs = 1_000
const longestWaitMs = 15_000
const rateSeconds = 5
/** Calls that the gateway may tell once more to whoever connects again: a hundred of each process. */
const mostRepeated = 1_000

/** The calls of the gateway as they end, kept in a ring. Owns a connection. */
export class LiveTail {
  readonly state: Signal<TailState> = signal({ kind: 'connecting' })
  /** Grows when calls have come, once a frame at most. */
  readonly version: Signal<number> = signal(0)
  /** Calls that were not sent, since there were too many. */
  dropped = 0
  /** Calls that came. */
  received = 0
  readonly #ring: LiveCall[] = []
  #next = 0
  /** How many came, by second. */
  readonly #pace: { second: number; count: number }[] = []
  readonly #controller = new AbortController()
  #cancel: (() => void) | undefined
  #isDrawing = false
  readonly #wanted: Wanted
  /** Calls that came before the connection broke: each one begins with the last calls. */
  #known: ReadonlySet<string> = new Set()

  constructor(wanted: Wanted) {
    this.#wanted = wanted
    void this.#follow(firstWaitMs)
  }

  /** The calls that are kept, the newest first. */
  newest(): readonly LiveCall[] {
    const { length } = this.#ring
    return Array.from({ length }, (_, i) => this.#ring[(this.#next - 1 - i + 2 * length) % length]!)
  }

  get size(): number {
    return this.#ring.length
  }

  /** Returns a call by its place, the newest being 0. */
  at(i: number): LiveCall | undefined {
    const { length } = this.#ring
    return i < length ? this.#ring[(this.#next - 1 - i + 2 * length) % length] : undefined
  }

  /** Calls a second over the last seconds. */
  rate(): number {
    const now = Math.floor(browser.now() / 1_000)
    const recent = this.#pace.filter(({ second }) => second >= now - rateSeconds && second < now)
    return recent.reduce((sum, { count }) => sum + count, 0) / rateSeconds
  }

  clear(): void {
    this.#ring.length = 0
    this.#next = 0
    this.dropped = 0
    this.#changed()
  }

  close(): void {
    this.#controller.abort()
    this.#cancel?.()
  }

  async #follow(waitMs: number): Promise<void> {
    const { signal: aborted } = this.#controller
    let wait = waitMs
    try {
      this.state.value = { kind: 'connecting' }
      const response = await send('GET', '/admin/v1/calls/live', {
        query: this.#wanted,
        signal: aborted,
        accept: 'text/event-stream',
      })
      if (!response.ok) {
        const text = await response.text()
        throw errorOf(response, parse(text), text)
      }
      this.#known = new Set(this.newest().slice(0, mostRepeated).map(keyOf))
      this.state.value = { kind: 'live' }
      wait = firstWaitMs
      await readEvents(response, (name, data) => this.#take(name, data))
      throw new ConsoleError('The gateway ended the stream.', { status: 0, code: 'ended' })
    } catch (thrown) {
      if (aborted.aborted) return
      const error = asConsoleError(thrown)
      const ms = Math.min(longestWaitMs, Math.max(wait, (error.retryAfter ?? 0) * 1_000))
      this.state.value = { kind: 'waiting', error, ms }
      this.#cancel = browser.after(ms, () => void this.#follow(2 * wait))
    }
  }

  #take(name: string, data: string): void {
    if (name === 'dropped') this.dropped += (JSON.parse(data) as DroppedCalls).count
    if (name === 'calls') for (const call of JSON.parse(data) as readonly LiveCall[]) this.#keep(call)
    this.#changed()
  }

  #keep(call: LiveCall): void {
    if (this.#known.has(keyOf(call))) return
    this.received++
    this.#ring[this.#next] = call
    this.#next = (this.#next + 1) % mostCalls
    const second = Math.floor(browser.now() / 1_000)
    const last = this.#pace.at(-1)
    if (last?.second === second) last.count++
    else if (this.#pace.push({ second, count: 1 }) > 2 * rateSeconds) this.#pace.shift()
  }

  #changed(): void {
    if (this.#isDrawing) return
    this.#isDrawing = true
    browser.atFrame(() => {
      this.#isDrawing = false
      this.version.value++
    })
  }
}

/** Tells a call from others, also from those of its batch or trace that ended at other times. */
export function keyOf({ process, id, time }: LiveCall): string {
  return `${process} ${id} ${time}`
}
