/**
 * How long the answers of each lane have been of late. A lane is an opaque name, such as that of a project. Long answers that come
 * together fill the memory, so the calls that expect them count as several.
 */
export interface AnswerSizes {
  /** Slots that the lane's next call counts as: one, and one more for each 128 kB that its answer may have; at most 16. */
  slots(lane: string | undefined): number
  /** Takes note of an answer of `bytes`. */
  note(lane: string | undefined, bytes: number): void
}

const bytesPerSlot = 131_072
const mostSlots = 16
/** A longer answer than expected counts half, a shorter one a sixteenth: the first of many long ones must tell. */
const weights = { longer: 1 / 2, shorter: 1 / 16 }

/** Creates the record. It holds an entry for each lane whose answers are long. */
export function createAnswerSizes(): AnswerSizes {
  const expected = new Map<string | undefined, number>()
  return {
    slots(lane) {
      const bytes = expected.size === 0 ? undefined : expected.get(lane)
      return bytes === undefined ? 1 : Math.min(1 + Math.floor(bytes / bytesPerSlot), mostSlots)
    },
    note(lane, bytes) {
      if (bytes < bytesPerSlot && expected.size === 0) return
      const before = expected.get(lane) ?? 0
      const after = before + (bytes - before) * (bytes > before ? weights.longer : weights.shorter)
      // What counts as one slot needs no entry; half of it keeps a lane of mixed answers from starting anew each time.
      if (after < bytesPerSlot / 2) expected.delete(lane)
      else expected.set(lane, after)
    },
  }
}
