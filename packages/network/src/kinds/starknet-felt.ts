/** Prints a felt without padding, in lower case; undefined: it is none. */
export function canonicalFelt(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^0x[\da-fA-F]{1,64}$/.test(value)) return undefined
  return `0x${value
    .slice(2)
    .toLowerCase()
    .replace(/^0+(?=.)/, '')}`
}
