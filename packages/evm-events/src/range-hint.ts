import type { RpcErrorObject } from '@wayleave/jsonrpc-core'

/** A range that a node says it would take: `this block range should work: [0x10, 0x2f]`. */
const namedRange = /range[^[]{0,40}\[\s*(0x[\da-f]{1,13})\s*,\s*(0x[\da-f]{1,13})\s*\]/i
/** A count of blocks that a node says is its most; counts of results are not meant. */
const namedCounts = [
  /(?:limited to|limit(?: of| is|ed to)?|max(?:imum)?(?: is| of| allowed)?|up to|exceeds?(?: the)?(?: limit of| max(?:imum)?)?)[: ]+(?:a |an )?([\d,]{1,12})[ -]+block/i,
  /range \d+ exceeds (?:the )?limit of ([\d,]{1,12})/i,
  /(?:max(?:imum)? (?:block )?range|block range (?:limit|exceeds|is limited to|too large, max(?:imum)?))[^\d]{0,12}([\d,]{1,12})/i,
  /more than ([\d,]{1,12}) blocks|ranges over ([\d,]{1,12}) blocks|limited to (?:a )?([\d,]{1,12}) range/i,
]

/** Reads how many blocks a node would take from its error, where it is fewer than were asked for; undefined where it does not say. */
export function rangeHintOf({ message }: RpcErrorObject, asked: number): number | undefined {
  const start = typeof message === 'string' ? message.slice(0, 1_000) : ''
  const range = namedRange.exec(start)
  const blocks = range === null ? countIn(start) : Number(range[2]) - Number(range[1]) + 1
  return blocks !== undefined && blocks >= 1 && blocks < asked ? blocks : undefined
}

function countIn(text: string): number | undefined {
  for (const pattern of namedCounts) {
    const digits = pattern
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (digits !== undefined) return Number(digits.replaceAll(',', ''))
  }
  return undefined
}
