import type { Clock } from '@wayleave/jsonrpc-core'
import { splitCredentials } from '@wayleave/network/config'
import { printExport, type Span } from './otlp.ts'

/** Makes the spans of one call; `zero`: the date in ms at which the clock was 0. */
export type SpanSource = (zero: number) => readonly Span[]

/** Sends spans to a collector by OTLP/HTTP in JSON, in batches. Nothing of it delays a call. */
export interface Exporter {
  /** Takes the spans of a call, which are made when they are sent; drops them where too many wait. */
  add(spans: SpanSource): void
  /** Sends what waits, within a second. */
  close(): Promise<void>
}

export interface ExporterOptions {
  readonly endpoint: string
  /** They may hold secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  /** Called with the number of spans, or calls that waited for too long, that were given up. */
  readonly onDropped: (spans: number) => void
  /** Called with the reason of each export that failed; it names no URL and no header. */
  readonly onFailure: (why: string) => void
  readonly fetch?: typeof globalThis.fetch
}

/** Most calls that wait, each of 65 spans at most; some 1 MB as usual. */
const mostWaiting = 2_048
/** Calls of one request to the collector, and the spans from which on it takes no more. */
const mostCalls = 256
const enoughSpans = 1_024
/** Longest wait of a call for others, in ms. */
const gatherMs = 2_000
/** Longest wait for the collector's answer, in ms. */
const answerMs = 10_000
/** Times before further tries, in ms; then the batch is given up. */
const pauses: readonly number[] = [1_000, 4_000, 16_000]
/** Longest time that a collector may ask for, in ms. */
const longestPauseMs = 60_000
const closeMs = 1_000
/** Statuses after which the same request may be taken (OTLP, "Failures"). */
const mayPass = new Set([429, 502, 503, 504])
/** Longest answer that is read, in characters: a whole one has a sentence. */
const longestAnswer = 16_384

/** Creates an {@link Exporter}. Nothing is opened before its first call. */
export function createExporter(options: ExporterOptions): Exporter {
  const { clock, onDropped, onFailure, fetch = globalThis.fetch } = options
  // Fetch refuses a URL with credentials.
  const { url, headers } = splitCredentials(options.endpoint, options.headers)
  const waiting: SpanSource[] = []
  let isClosed = false
  /** The end waits no longer. */
  let isEnding = false
  /** Ends the attempt or the pause that is on its way: a signal of the whole life would gather their listeners. */
  let interrupt = (): void => {}
  let stopGathering: (() => void) | undefined
  let sending: Promise<void> | undefined

  async function sendAll(): Promise<void> {
    stopGathering?.()
    stopGathering = undefined
    while (waiting.length > 0) {
      const zero = clock.date() - clock.now()
      const spans: Span[] = []
      for (let calls = 0; calls < mostCalls && spans.length < enoughSpans; calls++) {
        const make = waiting.shift()
        if (make === undefined) break
        for (const span of make(zero)) spans.push(span)
      }
      await send(spans)
      if (waiting.length < mostCalls && !isClosed) break
    }
    sending = undefined
    if (waiting.length > 0) gather()
  }

  function gather(): void {
    if (sending !== undefined) return
    const start = (): void => void (sending ??= sendAll())
    if (waiting.length >= mostCalls) start()
    else stopGathering ??= clock.after(gatherMs, start)
  }

  /** Sends a batch, again where that may help; gives it up else. */
  async function send(spans: readonly Span[]): Promise<void> {
    const body = printExport(spans)
    for (const pause of [...pauses, undefined]) {
      const outcome = isEnding ? { why: 'the gateway ends', again: false } : await post(body)
      if (outcome === 'taken') return
      if ('rejected' in outcome) return onDropped(outcome.rejected)
      onFailure(outcome.why)
      if (!outcome.again || pause === undefined || isClosed) break
      await sleep(outcome.waitMs ?? pause)
    }
    onDropped(spans.length)
  }

  type Outcome =
    | 'taken'
    | { readonly rejected: number }
    | { readonly why: string; readonly again: boolean; readonly waitMs?: number | undefined }

  async function post(body: string): Promise<Outcome> {
    const trying = new AbortController()
    interrupt = () => trying.abort()
    const stop = clock.after(answerMs, () => trying.abort())
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // The headers go to nobody else.
        redirect: 'manual',
        signal: trying.signal,
      })
      if (response.ok) return await readRejected(response)
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      const waitMs = seconds >= 0 ? Math.min(seconds * 1_000, longestPauseMs) : undefined
      return { why: `the answer is ${response.status}`, again: mayPass.has(response.status), waitMs }
    } catch {
      return {
        why: trying.signal.aborted ? 'the collector does not answer' : 'the collector cannot be reached',
        again: true,
      }
    } finally {
      stop()
    }
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = clock.after(ms, resolve)
      interrupt = () => {
        stop()
        resolve()
      }
    })
  }

  return {
    add(spans) {
      if (isClosed || waiting.length >= mostWaiting) return onDropped(1)
      waiting.push(spans)
      gather()
    },
    async close() {
      isClosed = true
      const stop = clock.after(closeMs, () => {
        isEnding = true
        interrupt()
      })
      await (sending ?? sendAll())
      stop()
      stopGathering?.()
    },
  }
}

/** Reads how many spans a collector has rejected of a request that it took (`partialSuccess`). */
async function readRejected(response: Response): Promise<'taken' | { readonly rejected: number }> {
  let answer = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    answer += decoder.decode(chunk as Uint8Array, { stream: true })
    if (answer.length > longestAnswer) return 'taken'
  }
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: string | number } }
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
    return rejected > 0 ? { rejected } : 'taken'
  } catch {
    return 'taken'
  }
}
