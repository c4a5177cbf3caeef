import { IpfsError } from '../error.ts'
import { type Refusal, refusal } from './refusal.ts'

/** Bounds the parts of uploads, which stay in memory until their directories are written: some 260 bytes each. */
export interface Parts {
  /** Begins a call. */
  open(): PartsOfCall
}

export interface PartsOfCall {
  /** Takes a part whose name has that many segments. @throws Refusal 413 beyond the bound of a request, IpfsError of all of them */
  take(segments: number): void
  /** The refusal of a part, if there was one. */
  refused(): Refusal | undefined
  /** Gives back what the call has taken. */
  end(): void
}

/** Most segments of names for each part that is allowed. They may imply about as many directories. */
const segmentsPerPart = 10

/** Creates the bound: `most` parts of a request, and of all requests that run; ten times as many segments in their names. */
export function createParts(most: number): Parts {
  const mostSegments = most * segmentsPerPart
  /** The parts of all calls. */
  const all = { parts: 0, segments: 0 }
  return {
    open() {
      const own = { parts: 0, segments: 0 }
      let refused: Refusal | undefined
      return {
        take(segments) {
          if (own.parts >= most) throw (refused = tooMany(`${most} parts`))
          if (own.segments + segments > mostSegments) throw (refused = tooMany(`${mostSegments} segments in all names`))
          if (all.parts >= most || all.segments + segments > mostSegments) {
            throw new IpfsError('unavailable', `uploads under way have ${most} parts: try again later`)
          }
          for (const each of [own, all]) {
            each.parts++
            each.segments += segments
          }
        },
        refused: () => refused,
        end() {
          all.parts -= own.parts
          all.segments -= own.segments
          own.parts = own.segments = 0
        },
      }
    },
  }
}

function tooMany(what: string): Refusal {
  const how = `a request may have ${what}: send several`
  return refusal(413, `payload too large: ${how}\n`)
}
