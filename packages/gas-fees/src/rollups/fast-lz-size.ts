/** Bytes that a match must begin with, and that are left alone at the end. */
const [leastMatch, tail] = [3, 13]
/** The farthest match back, and the number of places where one is looked for. */
const farthest = 8_192

/**
 * Computes how many bytes FastLZ (level 1) makes of some, without making them: OP chains price a transaction by this size.
 * Source: Fjord, exec engine, "FastLZ estimator".
 */
export function fastLzSize(data: Uint8Array): number {
  const limit = data.length - tail
  const places = new Uint32Array(farthest)
  let size = 0
  let literalsFrom = 0
  for (let at = 2; at < limit - 1;) {
    const from = exchange(places, data, at)
    if (at - from >= farthest || tripleAt(data, from) !== tripleAt(data, at)) {
      at += 1
      continue
    }
    const length = matchLength(data, from + leastMatch, at + leastMatch, limit + 9)
    size += literalsSize(at - literalsFrom) + matchSize(length)
    at += length
    exchange(places, data, at)
    exchange(places, data, at + 1)
    at += 2
    literalsFrom = at
  }
  return size + literalsSize(data.length - literalsFrom)
}

function tripleAt(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)
}

/** Notes where three bytes were seen, and returns where they, or others of the same hash, were seen before. */
function exchange(places: Uint32Array, data: Uint8Array, at: number): number {
  const place = Math.imul(tripleAt(data, at), 0x9e3779b9) >>> 19
  const before = places[place]!
  places[place] = at
  return before
}

/** Counts equal bytes and the first unequal one, up to `end`. */
function matchLength(data: Uint8Array, from: number, at: number, end: number): number {
  let length = 0
  while (at + length < end) {
    length += 1
    if (data[from + length - 1] !== data[at + length - 1]) break
  }
  return length
}

/** Runs of up to 32 literals have a byte before them. */
function literalsSize(count: number): number {
  const rest = count % 32
  return 33 * Math.floor(count / 32) + (rest > 0 ? rest + 1 : 0)
}

/** Matches of up to 262 bytes take three bytes, or two if they are short. */
function matchSize(length: number): number {
  const more = length - 1
  return 3 * Math.floor(more / 262) + (more % 262 >= 6 ? 3 : 2)
}
