/** Reads a quantity as nodes give it: `0x…`, or a whole number; undefined for anything else. */
export function quantity(value: unknown): bigint | undefined {
  if (typeof value === 'string' && /^0x[\da-f]{1,64}$/i.test(value)) return BigInt(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
}

/** Reads a list of quantities; none of anything else. */
export function quantities(value: unknown): readonly (bigint | undefined)[] {
  return listOf(value).map(quantity)
}

/** Reads a list; an empty one of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
