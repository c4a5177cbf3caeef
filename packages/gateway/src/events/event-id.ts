/** The place of a stream of events in the chain, as the id of an event names it. */
export interface EventPlace {
  /** The last block of which anything was told: 32 bytes in hex, lower case. */
  readonly hash: string
  /** Told of its logs are those with a lower index; undefined: all. */
  readonly below?: number | undefined
  /** The lowest height of which logs were told. */
  readonly from: number
}

const form = /^(0x[\da-f]{64})(?::(\d{1,9}))?(?:@(\d{1,15}))?$/i

/** Prints a place: the hash, `:` and the index, `@` and the height. */
export function printEventId({ hash, below, from }: EventPlace): string {
  return `${hash}${below === undefined ? '' : `:${below}`}${from === 0 ? '' : `@${from}`}`
}

/** Reads what {@link printEventId} printed; undefined if it is something else. */
export function readEventId(id: string): EventPlace | undefined {
  const found = form.exec(id)
  if (found === null) return undefined
  const [, hash, below, from = '0'] = found
  return { hash: hash!.toLowerCase(), below: below === undefined ? undefined : Number(below), from: Number(from) }
}
