/** Blocks of the chain that the nodes serve. */
export const head = 1_000_000
export const busy = `0x${'b1'.repeat(20)}`
export const quiet = `0x${'c2'.repeat(20)}`

/** The filter of a call, its ends as numbers. */
export interface Search {
  readonly from: number
  readonly to: number
  readonly address: string | undefined
}

const hex = (number: number): string => `0x${number.toString(16)}`
/** Blocks from one log of a contract to the next: two in each block, or one in a thousand. */
const perBlock = 2
const every = 1_000

/** Counts the logs of a search. */
export function countLogs({ from, to, address }: Search): number {
  const ofBusy = address === quiet ? 0 : perBlock * (to - from + 1)
  const ofQuiet = address === busy ? 0 : Math.floor(to / every) - Math.floor((from - 1) / every)
  return ofBusy + ofQuiet
}

/** Prints the logs of a search, in their order. */
export function printLogs({ from, to, address }: Search): string {
  const logs: string[] = []
  const log = (block: number, index: number, of: string): void =>
    void logs.push(`{"address":"${of}","blockNumber":"${hex(block)}","logIndex":"${hex(index)}"}`)
  if (address === quiet)
    for (let block = Math.ceil(from / every) * every; block <= to; block += every) log(block, perBlock, quiet)
  else {
    for (let block = from; block <= to; block++) {
      for (let i = 0; i < perBlock; i++) log(block, i, busy)
      if (address === undefined && block % every === 0) log(block, perBlock, quiet)
    }
  }
  return `[${logs.join(',')}]`
}

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** The block of a tag, as far as a gateway reads it. */
export function blockOf(tag: unknown): object {
  const number = tag === 'latest' ? head : head - 64
  const timestamp = hex(1_700_000_000 + 12 * number)
  return { number: hex(number), hash: hashOf(number), parentHash: hashOf(number - 1), timestamp }
}
