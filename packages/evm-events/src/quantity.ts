/** Gives a number as a hex quantity. */
export function hex(number: number): string {
  return `0x${number.toString(16)}`
}

/** Reads the height of a block as a node or a caller tells it, in hex; undefined where it is none. */
export function heightOf(quantity: unknown): number | undefined {
  return typeof quantity === 'string' && /^0x[\da-f]{1,13}$/i.test(quantity) ? Number(quantity) : undefined
}
