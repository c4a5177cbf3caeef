/** The time between two blocks, in ms. */
export const headsEveryMs = 4_000

/** The height of the chain: all nodes have the same at a time, whichever process they are in. */
export function height(): number {
  return Math.floor(Date.now() / headsEveryMs)
}

/** Prints a number as 32 bytes. */
export function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** The block of a height, whose hash is its height. */
export function blockAt(number: number): object {
  return {
    number: `0x${number.toString(16)}`,
    hash: word(number),
    parentHash: word(number - 1),
    timestamp: `0x${(number * (headsEveryMs / 1_000)).toString(16)}`,
    logsBloom: `0x${'00'.repeat(256)}`,
    transactions: [],
  }
}
