/** The parts of a map, a power of two. */
export const shardCount = 64
/** Characters of a key that decide on its part. */
const samples = 32

/**
 * A map of texts in parts, each of which grows by itself. V8 makes the table of a `Map` anew whenever it is full, all entries in one go, while the
 * process serves nobody: 30 to 90 ms for half a million.
 */
export class ShardedMap<V> {
  readonly #shards: readonly Map<string, V>[] = Array.from({ length: shardCount }, () => new Map<string, V>())
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: string): V | undefined {
    return this.#shardOf(key).get(key)
  }

  set(key: string, value: V): void {
    const shard = this.#shardOf(key)
    const before = shard.size
    shard.set(key, value)
    this.#size += shard.size - before
  }

  delete(key: string): boolean {
    const isThere = this.#shardOf(key).delete(key)
    if (isThere) this.#size--
    return isThere
  }

  /** Gives the values, in no order. Those that are deleted meanwhile are left out. */
  *values(): Generator<V, undefined> {
    for (const shard of this.#shards) yield* shard.values()
  }

  #shardOf(key: string): Map<string, V> {
    return this.#shards[shardOf(key)]!
  }
}

/**
 * Returns the part of a key. Keys of one method differ anywhere, so that some characters of all of its length are read; the whole of a long
 * one would take as long as to find it.
 */
export function shardOf(key: string): number {
  const { length } = key
  const step = Math.max(1, Math.floor(length / samples))
  let hash = length
  for (let at = length - 1; at >= 0; at -= step) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0
  return (hash ^ (hash >>> 16)) & (shardCount - 1)
}
