const rounds = 12
/** How the words of a block are mixed, round by round (RFC 7693 §2.7); rounds 10 and 11 repeat 0 and 1. */
const sigma = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
] as const

/** Halves of 64-bit words, the low one first: the square roots of the first eight primes (RFC 7693 §2.6). */
const iv = Uint32Array.from([
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
  0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
])

/** BLAKE2b without a key, for the lengths that Node's crypto lacks; `length`: bytes of the digest, 1 to 64. Source: RFC 7693. */
export function blake2b(bytes: Uint8Array, length: number): Uint8Array {
  const h = Uint32Array.from(iv)
  h[0] = (h[0] as number) ^ 0x01010000 ^ length
  const block = new Uint8Array(128)
  const view = new DataView(block.buffer)
  const words = new Uint32Array(32)
  const last = Math.max(0, Math.ceil(bytes.length / 128) - 1) * 128
  for (let at = 0; at <= last; at += 128) {
    block.fill(0)
    block.set(bytes.subarray(at, at + 128))
    for (let word = 0; word < 32; word++) words[word] = view.getUint32(word * 4, true)
    compress(h, words, Math.min(at + 128, bytes.length), at === last)
  }
  const digest = new DataView(new ArrayBuffer(64))
  h.forEach((half, at) => digest.setUint32(at * 4, half, true))
  return new Uint8Array(digest.buffer, 0, length)
}

function compress(h: Uint32Array, words: Uint32Array, total: number, isLast: boolean): void {
  const v = new Uint32Array(32)
  v.set(h)
  v.set(iv, 16)
  v[24] = (v[24] as number) ^ total
  v[25] = (v[25] as number) ^ Math.floor(total / 2 ** 32)
  if (isLast) {
    v[28] = ~(v[28] as number)
    v[29] = ~(v[29] as number)
  }
  for (let round = 0; round < rounds; round++) {
    const s = sigma[round % 10] as (typeof sigma)[0]
    mix(v, words, 0, 8, 16, 24, s[0], s[1])
    mix(v, words, 2, 10, 18, 26, s[2], s[3])
    mix(v, words, 4, 12, 20, 28, s[4], s[5])
    mix(v, words, 6, 14, 22, 30, s[6], s[7])
    mix(v, words, 0, 10, 20, 30, s[8], s[9])
    mix(v, words, 2, 12, 22, 24, s[10], s[11])
    mix(v, words, 4, 14, 16, 26, s[12], s[13])
    mix(v, words, 6, 8, 18, 28, s[14], s[15])
  }
  for (let at = 0; at < 16; at++) h[at] = (h[at] as number) ^ (v[at] as number) ^ (v[at + 16] as number)
}

/** G of RFC 7693 §3.1; `a` to `d` are where the low halves stand. */
function mix(v: Uint32Array, m: Uint32Array, a: number, b: number, c: number, d: number, x: number, y: number): void {
  add(v, a, v[b] as number, v[b + 1] as number)
  add(v, a, m[x * 2] as number, m[x * 2 + 1] as number)
  xorRotate(v, d, a, 32)
  add(v, c, v[d] as number, v[d + 1] as number)
  xorRotate(v, b, c, 24)
  add(v, a, v[b] as number, v[b + 1] as number)
  add(v, a, m[y * 2] as number, m[y * 2 + 1] as number)
  xorRotate(v, d, a, 16)
  add(v, c, v[d] as number, v[d + 1] as number)
  xorRotate(v, b, c, 63)
}

function add(v: Uint32Array, at: number, low: number, high: number): void {
  const sum = (v[at] as number) + low
  v[at] = sum
  v[at + 1] = (v[at + 1] as number) + high + (sum > 0xffffffff ? 1 : 0)
}

/** v[at] = (v[at] xor v[from]) rotated right. */
function xorRotate(v: Uint32Array, at: number, from: number, by: 16 | 24 | 32 | 63): void {
  const low = (v[at] as number) ^ (v[from] as number)
  const high = (v[at + 1] as number) ^ (v[from + 1] as number)
  if (by === 32) {
    v[at] = high
    v[at + 1] = low
  } else if (by === 63) {
    v[at] = (low << 1) | (high >>> 31)
    v[at + 1] = (high << 1) | (low >>> 31)
  } else {
    v[at] = (low >>> by) | (high << (32 - by))
    v[at + 1] = (high >>> by) | (low << (32 - by))
  }
}
