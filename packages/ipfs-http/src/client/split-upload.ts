import { IpfsError } from '../error.ts'
import type { IpfsUpload } from './client.ts'

/** Chooses the entries of each request of an upload. */
export interface Splitter {
  /**
   * Whether an entry begins another request.
   * @throws IpfsError `too_large` for a root of more entries than a request may have, `bad_argument` for one that comes back
   */
  isNext(entry: IpfsUpload): boolean
}

export interface SplitOptions {
  /** Most entries of a request. */
  readonly maxParts: number
  /** Whether one directory wraps all, which no second request could add to. */
  readonly isWrapped: boolean
}

/** Most segments of names for each entry that is allowed, as in our server. */
const segmentsPerPart = 10

interface Count {
  parts: number
  segments: number
}

/**
 * Splits an upload between its roots, since a directory is made by one request. Reads no content. The roots of an array are
 * counted in advance, and all of its requests planned.
 * @throws IpfsError as {@link Splitter.isNext}
 */
export function createSplitter(source: unknown, options: SplitOptions): Splitter {
  const { maxParts } = options
  if (!(maxParts >= 1)) throw new IpfsError('bad_argument', `expected maxParts of at least 1, got ${maxParts}`)
  if (!Array.isArray(source)) return splitterOf(options)
  const entries = source as readonly IpfsUpload[]
  const roots = new Map<string, Count>()
  for (const entry of entries) {
    const { root, segments } = placeOf(entry, options)
    if (root === undefined) continue
    const count = roots.get(root) ?? { parts: 0, segments: 0 }
    roots.set(root, { parts: count.parts + 1, segments: count.segments + segments })
  }
  const plan = splitterOf(options, roots)
  for (const entry of entries) plan.isNext(entry)
  return splitterOf(options, roots)
}

/** `roots`: the entries of each root; without it, they are counted as they come. */
function splitterOf(options: SplitOptions, roots?: ReadonlyMap<string, Count>): Splitter {
  const mostParts = options.maxParts
  const mostSegments = mostParts * segmentsPerPart
  const past = new Set<string>()
  const present = new Set<string>()
  let own: Count = { parts: 0, segments: 0 }

  return {
    isNext(entry) {
      const { root, segments } = placeOf(entry, options)
      const isKnown = root !== undefined && present.has(root)
      if (isKnown && roots !== undefined) return false
      if (root !== undefined && past.has(root)) {
        const where = JSON.stringify(root)
        throw new IpfsError('bad_argument', `expected the entries of ${where} in a row: a request before had some`)
      }
      const more = (root !== undefined && roots?.get(root)) || { parts: 1, segments }
      const fits = (count: Count): boolean => count.parts <= mostParts && count.segments <= mostSegments
      const sum = { parts: own.parts + more.parts, segments: own.segments + more.segments }
      const isNext = !fits(sum)
      if (isNext && (isKnown || !fits(more))) throw tooLarge(root, mostParts)
      if (isNext) for (const each of present) past.add(each)
      if (isNext) present.clear()
      own = isNext ? { ...more } : sum
      if (root !== undefined) present.add(root)
      return isNext
    },
  }
}

/** Returns the root of an entry, undefined for one without a name, and the number of segments of its path. */
function placeOf(
  { path = '' }: IpfsUpload,
  { isWrapped }: SplitOptions,
): { root?: string | undefined; segments: number } {
  const segments = path.split('/').filter((each) => each !== '' && each !== '.')
  return { root: isWrapped ? '' : segments[0], segments: segments.length }
}

function tooLarge(root: string | undefined, maxParts: number): IpfsError {
  const what = root ? `the directory ${JSON.stringify(root)}` : 'the directory that wraps all'
  const how = 'upload its parts singly, or raise maxParts if the host takes more'
  return new IpfsError(
    'too_large',
    `${what} has more than the ${maxParts} entries (or ten times the segments) of one request: ${how}`,
  )
}
