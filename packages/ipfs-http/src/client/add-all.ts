import { throwIfAborted } from '../abortable.ts'
import { IpfsError } from '../error.ts'
import type { AddSettings, FullOptions, Uploading } from './uploading.ts'
import type { IpfsAdded, IpfsAddOptions, IpfsUpload } from './client.ts'
import type { HostCallOptions } from './host.ts'
import { readAhead } from './read-ahead.ts'
import { planUpload, splitterOf, type UploadLimits, type UploadPlan } from './split-upload.ts'

/** Most entries of one request by default, as many as our server takes. */
const mostParts = 1_000_000

/** `IpfsClient.addAll`. */
export async function* addAll(
  uploading: Uploading,
  settings: AddSettings,
  source: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
  given: IpfsAddOptions = {},
): AsyncGenerator<IpfsAdded> {
  const { fullOptions, addInOne, leave, piecesOf } = uploading
  const begun = settings.host.begin(given)
  const limits = limitsOf(uploading, settings, begun)
  const time = timeOf(settings, begun)
  const { signal } = time
  const options = { ...begun, signal }
  let iterator: AsyncIterator<IpfsUpload> | Iterator<IpfsUpload> | undefined
  let rest: AsyncIterator<Uint8Array> | undefined
  try {
    throwIfAborted(signal)
    // A source that can be listed again is counted before anything is read.
    let plan = Array.isArray(source) || 'totals' in source ? await planUpload(source, limits, signal) : undefined
    const opened = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
    iterator = opened
    let held: readonly IpfsUpload[] = []
    let isLarge = plan?.tooLarge !== undefined
    if (!isLarge && !plan?.isKnown && limits.maxRequestBytes < Infinity) {
      const ahead = await readAhead(opened, limits, piecesOf, signal)
      ;({ held, isLarge, rest } = ahead)
      if (ahead.isWhole) {
        plan = await planUpload(held, limits, signal)
        isLarge = plan.tooLarge !== undefined
      } else if (isLarge) plan = undefined
    }
    const archives = isLarge ? await openArchives(uploading, settings, options, plan) : undefined

    let at = 0
    const next = async (): Promise<IteratorResult<IpfsUpload>> =>
      at < held.length ? { done: false, value: held[at++]! } : opened.next()
    const head = await next()
    if (head.done) throw new IpfsError('bad_argument', 'expected something to add')
    let first: IpfsUpload | undefined = head.value
    const full = await fullOptions(settings, options, first, plan?.isKnown ? plan.totals.bytes : undefined)
    const split = plan?.split() ?? (archives ? undefined : splitterOf(limits))
    split?.isNext(first)

    /** Yields the entries of one request, and keeps the one that begins the next. */
    async function* entriesOfRequest(): AsyncGenerator<IpfsUpload> {
      yield first!
      first = undefined
      for (let entry = await next(); !entry.done; entry = await next()) {
        if (split?.isNext(entry.value)) {
          first = entry.value
          return
        }
        yield entry.value
      }
    }

    while (first !== undefined) {
      if (archives && (split?.isLarge ?? true)) yield* archives.add(entriesOfRequest(), full)
      else yield* addInOne(settings, entriesOfRequest(), full)
    }
  } finally {
    time.end()
    leave(rest)
    leave(iterator)
  }
}

/** Adds the deadline to the signal of a call: a source may be silent when no request is under way. */
function timeOf(
  { clock }: AddSettings,
  { signal, until = Infinity }: HostCallOptions,
): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal!.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  const late = (): void =>
    controller.abort(new IpfsError('timeout', 'the upload is too slow: retry, or raise deadlineMs'))
  const stop = until < Infinity ? clock.after(until - clock.now(), late) : undefined
  return {
    signal: controller.signal,
    end() {
      stop?.()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** @throws IpfsError `bad_argument` */
function limitsOf(
  { sizeOf }: Uploading,
  { maxParts = mostParts, maxRequestBytes }: AddSettings,
  { wrapWithDirectory = false }: IpfsAddOptions,
): UploadLimits {
  for (const [name, limit] of Object.entries({ maxParts, maxRequestBytes })) {
    if (!(limit >= 1)) throw new IpfsError('bad_argument', `expected ${name} of at least 1, got ${limit}`)
  }
  return { maxParts, maxRequestBytes, isWrapped: wrapWithDirectory, sizeOf }
}

interface Archives {
  add(entries: AsyncIterable<IpfsUpload>, options: FullOptions): AsyncGenerator<IpfsAdded>
}

/** Prepares to send blocks in archives; undefined if that cannot be done and the upload may still fit. @throws IpfsError `too_large` */
async function openArchives(
  uploading: Uploading,
  settings: AddSettings,
  options: IpfsAddOptions,
  plan: UploadPlan | undefined,
): Promise<Archives | undefined> {
  const { addInArchives, whyNoArchives } = await import('./add-archives.ts')
  const why = await whyNoArchives(settings, options)
  if (why === undefined) return { add: (entries, full) => addInArchives(uploading, settings, entries, full) }
  if (plan?.tooLarge) throw plan.tooLarge(why)
  return undefined
}
