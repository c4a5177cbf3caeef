/** The irreducible polynomial of degree 53 that Kubo uses, as bits 32 to 53 and 0 to 31. Source: boxo, `chunker`. */
const polynomial = { high: 0x3df305, low: 0xdfb2a805 } as const
const degree = 53
const windowBytes = 16

/** Bits 32 and above, then the low 32: 64-bit integers without the cost of BigInt. */
type Word = readonly [high: number, low: number]

/**
 * Finds the end of a chunk, which has at least `least` bytes and at most `most`: there, the fingerprint of the last 16
 * bytes ends in as many zero bits as `average` has binary digits less one. Source: Rabin fingerprints, as in Kubo.
 */
export function rabinCut(least: number, average: number, most: number): (bytes: Uint8Array) => number {
  const mask = 2 ** Math.floor(Math.log2(average)) - 1
  return (bytes) => {
    const { outHigh, outLow, modHigh, modLow } = (tables ??= makeTables())
    const end = Math.min(bytes.length, most)
    if (end <= least) return end
    let high = 0
    let low = 0
    for (let at = least - windowBytes; at < end; at++) {
      if (at >= least) {
        const out = bytes[at - windowBytes]!
        high ^= outHigh[out]!
        low ^= outLow[out]!
      }
      const top = high >>> (degree - 8 - 32)
      high = ((high << 8) | (low >>> 24)) ^ modHigh[top]!
      low = ((low << 8) | bytes[at]!) ^ modLow[top]!
      if (at + 1 >= least && (low & mask) === 0) return at + 1
    }
    return end
  }
}

interface Tables {
  /** Added to a fingerprint when a byte leaves the window, by that byte. */
  readonly outHigh: Int32Array
  readonly outLow: Int32Array
  /** Added to reduce a fingerprint whose highest byte is moved out, by that byte. */
  readonly modHigh: Int32Array
  readonly modLow: Int32Array
}

let tables: Tables | undefined

function makeTables(): Tables {
  const made: Tables = {
    outHigh: new Int32Array(256),
    outLow: new Int32Array(256),
    modHigh: new Int32Array(256),
    modLow: new Int32Array(256),
  }
  for (let byte = 0; byte < 256; byte++) {
    let out: Word = [0, byte]
    for (let i = 1; i < windowBytes; i++) out = timesX(out, 8)
    made.outHigh[byte] = out[0]
    made.outLow[byte] = out[1]
    // byte · x^53, reduced; the xor with byte · x^53 itself removes what was moved out.
    const mod = timesX([0, byte], degree)
    made.modHigh[byte] = mod[0] ^ (byte << (degree - 32))
    made.modLow[byte] = mod[1]
  }
  return made
}

/** The remainder of a polynomial times x^`times`. */
function timesX([high, low]: Word, times: number): Word {
  for (let i = 0; i < times; i++) {
    high = (high << 1) | (low >>> 31)
    low <<= 1
    if ((high >>> (degree - 32)) & 1) {
      high ^= polynomial.high
      low ^= polynomial.low
    }
  }
  return [high, low]
}
