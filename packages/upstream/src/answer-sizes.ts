/**
 * How long the answers of each tenant have been of late. A tenant is an opaque name, such as that of a project. Long answers that come
 * together fill the memory, so the calls that expect them count as several.
 */
export interface AnswerSizes {
  /** Slots that the next read of the tenant counts as: one, and one more for each 128 kB that its answer may have; at most 16. */
  slots(tenant: string | undefined): number
  /** Takes note of an answer of `bytes`. */
  note(tenant: string | undefined, bytes: number): void
}

const bytesPerSlot = 131_072
const mostSlots = 16
/** The length that the first answers of a tenant may have: a caller nobody knows does not begin with hundreds of long ones at once. */
const unknownBytes = 4 * bytesPerSlot
/** A longer answer than expected counts half, a shorter one little: the first of many long ones must tell. */
const weights = { longer: 1 / 2, shorter: 1 / 16 }

/** Creates the record. It holds an entry for each tenant that had an answer. */
export function createAnswerSizes(): AnswerSizes {
  const expected = new Map<string | undefined, number>()
  return {
    slots(tenant) {
      const bytes = tenant === undefined ? 0 : (expected.get(tenant) ?? unknownBytes)
      return bytes < bytesPerSlot ? 1 : Math.min(1 + Math.floor(bytes / bytesPerSlot), mostSlots)
    },
    note(tenant, bytes) {
      const before = expected.get(tenant) ?? unknownBytes
      // Most answers are short, and expected to be.
      if (before < bytesPerSlot / 2 && bytes <= before) return
      expected.set(tenant, before + (bytes - before) * (bytes > before ? weights.longer : weights.shorter))
    },
  }
}
