const c1 = 0x87c37b91114253d5n
const c2 = 0x4cf5ad432745937fn

/** Computes the first 64 bits of MurmurHash3 x64-128 with seed 0, by which names spread over a sharded directory. */
export function murmur64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let h1 = 0n
  let h2 = 0n
  const whole = bytes.length - (bytes.length % 16)
  for (let at = 0; at < whole; at += 16) {
    h1 ^= mix1(view.getBigUint64(at, true))
    h1 = u64((rotl(h1, 27n) + h2) * 5n + 0x52dce729n)
    h2 ^= mix2(view.getBigUint64(at + 8, true))
    h2 = u64((rotl(h2, 31n) + h1) * 5n + 0x38495ab5n)
  }
  const tail = new DataView(new ArrayBuffer(16))
  for (let at = whole; at < bytes.length; at++) tail.setUint8(at - whole, bytes[at] as number)
  h1 ^= mix1(tail.getBigUint64(0, true)) ^ BigInt(bytes.length)
  h2 ^= mix2(tail.getBigUint64(8, true)) ^ BigInt(bytes.length)
  h1 = u64(h1 + h2)
  h2 = u64(h2 + h1)
  return u64(finish(h1) + finish(h2))
}

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotl = (value: bigint, by: bigint): bigint => u64(value << by) | (value >> (64n - by))
const mix1 = (key: bigint): bigint => u64(rotl(u64(key * c1), 31n) * c2)
const mix2 = (key: bigint): bigint => u64(rotl(u64(key * c2), 33n) * c1)

function finish(hash: bigint): bigint {
  const once = u64((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn)
  const twice = u64((once ^ (once >> 33n)) * 0xc4ceb9fe1a85ec53n)
  return twice ^ (twice >> 33n)
}
