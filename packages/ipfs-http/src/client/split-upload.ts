import { abortable, throwIfAborted } from '../abortable.ts'
import { IpfsError } from '../error.ts'
import type { IpfsTotals, IpfsUpload } from './client.ts'
import type { sizeOf } from './upload-parts.ts'

/** The bounds of one upload request. */
export interface UploadLimits {
  readonly maxParts: number
  readonly maxRequestBytes: number
  /** Whether one directory wraps all, which no second request could add to. */
  readonly isWrapped: boolean
  /** A parameter, so that the code that loads first need not be split for it. */
  readonly sizeOf: typeof sizeOf
}

/** Chooses the entries of each request of an upload. */
export interface Splitter {
  /**
   * Whether an entry begins another request.
   * @throws IpfsError `bad_argument` for an entry of a root that an earlier request had; without a plan, `too_large` for a root
   * of more entries than a request may have
   */
  isNext(entry: IpfsUpload): boolean
  /** Whether the entries of this request are too much for one. */
  readonly isLarge: boolean
}

/** An upload that was counted before it was read. */
export interface UploadPlan {
  readonly totals: IpfsTotals
  /** Whether the sizes of all content are known. */
  readonly isKnown: boolean
  /** The error for the first root that is too much for one request. `why`: what keeps it from being split. */
  readonly tooLarge: ((why: string) => IpfsError) | undefined
  split(): Splitter
}

/** Most segments of names for each entry that is allowed, as in our server. */
const segmentsPerPart = 10

/** Most bytes of the header of a part, without the name. */
const headerBytes = 256

interface Count {
  parts: number
  segments: number
  /** Most bytes of the request, as far as sizes are known. */
  bytes: number
}

/** Counts the entries of each root. Reads no content. @throws IpfsError `aborted`, `bad_argument` for entries of an array that are not in a row */
export async function planUpload(
  source: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
  limits: UploadLimits,
  signal: AbortSignal,
): Promise<UploadPlan> {
  const roots = new Map<string, Count>()
  const totals = { files: 0, entries: 0, bytes: 0 }
  let isKnown = true
  let unnamed: readonly [root: string, count: Count] | undefined
  for await (const entry of Symbol.asyncIterator in source ? abortable(source, signal) : source) {
    throwIfAborted(signal)
    const { root, own } = placeOf(entry, limits)
    const size = limits.sizeOf(entry)
    totals.entries++
    if (entry.content !== undefined) totals.files++
    totals.bytes += size ?? 0
    isKnown &&= size !== undefined
    if (root !== undefined) roots.set(root, sum(roots.get(root) ?? none, own))
    else if (!fits(own, limits)) unnamed = ['', own]
  }
  const large = unnamed ?? [...roots].find(([, count]) => !fits(count, limits))
  const plan = {
    totals,
    isKnown,
    tooLarge: large && ((why: string) => tooLarge(large[0], large[1], limits, why)),
    split: () => splitterOf(limits, roots),
  }
  if (Array.isArray(source)) {
    const trial = plan.split()
    for (const entry of source as readonly IpfsUpload[]) trial.isNext(entry)
  }
  return plan
}

/** Splits entries between their roots as they come. `roots`: those of a plan. */
export function splitterOf(limits: UploadLimits, roots?: ReadonlyMap<string, Count>): Splitter {
  const counts = { ...limits, maxRequestBytes: Infinity }
  const past = new Set<string>()
  const present = new Set<string>()
  let request = none
  let isLarge = false

  return {
    get isLarge() {
      return isLarge
    },
    isNext(entry) {
      const { root, own } = placeOf(entry, limits)
      const isKnown = root !== undefined && present.has(root)
      if (isKnown && roots !== undefined) return false
      if (root !== undefined && past.has(root)) {
        const where = JSON.stringify(root)
        throw new IpfsError('bad_argument', `expected the entries of ${where} in a row: a request before had some`)
      }
      const more = (root !== undefined && roots?.get(root)) || own
      const both = sum(request, more)
      // The bytes of a directory are unknown until its stream ends: its request goes on, and the host may refuse it.
      const isNext = request !== none && !fits(both, isKnown ? counts : limits)
      const isAlone = isNext || request === none
      if (roots === undefined && (!fits(more, counts) || (isNext && isKnown))) {
        throw tooLarge(root ?? '', both, counts, tooLate)
      }
      if (isNext) {
        for (const each of present) past.add(each)
        present.clear()
      }
      request = isAlone ? more : both
      isLarge = isAlone ? !fits(more, limits) : isLarge
      if (root !== undefined) present.add(root)
      return isNext
    },
  }
}

const tooLate = 'a stream does not tell its entries in advance'

const none: Count = { parts: 0, segments: 0, bytes: 0 }

function sum(one: Count, other: Count): Count {
  return {
    parts: one.parts + other.parts,
    segments: one.segments + other.segments,
    bytes: one.bytes + other.bytes,
  }
}

function fits({ parts, segments, bytes }: Count, { maxParts, maxRequestBytes }: UploadLimits): boolean {
  return parts <= maxParts && segments <= maxParts * segmentsPerPart && bytes <= maxRequestBytes
}

/** Returns the root of an entry, undefined for one without a name, and what the entry adds to a request. */
function placeOf(
  entry: IpfsUpload,
  { isWrapped, sizeOf: measure }: UploadLimits,
): { root: string | undefined; own: Count } {
  const { path = '' } = entry
  const segments = path.split('/').filter((each) => each !== '' && each !== '.')
  // Three characters at most for each byte of a name.
  const bytes = headerBytes + 3 * encoder.encode(path).byteLength + (measure(entry) ?? 0)
  return { root: isWrapped ? '' : segments[0], own: { parts: 1, segments: segments.length, bytes } }
}

const encoder = new TextEncoder()

function tooLarge(root: string, count: Count, limits: UploadLimits, why: string): IpfsError {
  const subject = root === '' ? 'the upload' : JSON.stringify(root)
  const { has, most, limit } = excessOf(count, limits)
  return new IpfsError(
    'too_large',
    `${subject} has ${has}, and one request may have ${most}; it cannot be sent in several, since ${why}: add its parts singly, ` +
      `or raise ${limit} if the host takes more`,
  )
}

function excessOf(
  { parts, segments, bytes }: Count,
  { maxParts, maxRequestBytes }: UploadLimits,
): { has: string; most: string; limit: string } {
  const entries = `${digits(parts)} ${parts === 1 ? 'entry' : 'entries'}`
  if (bytes > maxRequestBytes) {
    return { has: `${entries} of ${sizeText(bytes)}`, most: sizeText(maxRequestBytes), limit: 'maxRequestBytes' }
  }
  if (parts > maxParts) return { has: entries, most: digits(maxParts), limit: 'maxParts' }
  const most = `${digits(segmentsPerPart * maxParts)}, ten for each entry`
  return { has: `paths of ${digits(segments)} segments in all`, most, limit: 'maxParts' }
}

function digits(count: number): string {
  return count.toLocaleString('en')
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${digits(bytes)} bytes` : `${(bytes / 1e6).toFixed(1).replace('.0', '')} MB`
}
