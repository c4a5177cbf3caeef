import type { NodeError } from './node-error.ts'
import { rangeWordings } from './range-wordings.ts'

/** The limit that a node names when it refuses a range of blocks, as `eth_getLogs` asks for one. */
export interface RangeLimit {
  /**
   * - `blocks`: the range has too many blocks, whatever it is searched for.
   * - `results`: it has too many results, too long an answer, or takes too long.
   * - `unknown`: the words do not tell.
   */
  readonly of: 'blocks' | 'results' | 'unknown'
  /** Most blocks of a range. Nodes count the first one or do not, so one more may pass. */
  readonly most?: number
  /** The range that the node proposes, both ends included. Some propose the one that they refused. */
  readonly proposed?: { readonly from: number; readonly to: number }
}

const proposedHex = /\[(0x[\da-f]{1,13}), ?(0x[\da-f]{1,13})\]/i
const proposedDecimal = /retry with the range (\d{1,15})-(\d{1,15})\b/i
/** Longest words that are read, in characters. */
const longest = 1_000

/**
 * Reads the limit that a node names in the first 1,000 characters of its error, whose `data` may hold words or, as Infura's, a range. Call
 * it only for errors that `classifyNodeError` takes for a refusal of the range or of the answer's size: other words may match, too.
 */
export function rangeLimitOf({ message, data }: NodeError): RangeLimit {
  const text = [message, data].map((part) => (typeof part === 'string' ? part.slice(0, longest) : '')).join(' ')
  const proposed = proposedIn(text) ?? proposedBy(data)
  const found = rangeWordings.find(({ pattern }) => pattern.test(text))
  if (found === undefined) return { of: 'unknown', ...(proposed && { proposed }) }
  const [, digits, k] = found.pattern.exec(text)!
  const most = found.of === 'blocks' && digits !== undefined ? numberOf(digits, k) : undefined
  return { of: found.of, ...(most && { most }), ...(proposed && { proposed }) }
}

/** No chain has more blocks than a safe integer, and no limit is 0. */
function numberOf(digits: string, k: string | undefined): number | undefined {
  const number = Number(digits.replaceAll(/[,.]/g, '')) * (k ? 1_000 : 1)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

function proposedIn(text: string): RangeLimit['proposed'] {
  const [, from, to] = proposedHex.exec(text) ?? proposedDecimal.exec(text) ?? []
  return rangeOf(Number(from), Number(to))
}

/** Infura: `data: { from: "0x…", to: "0x…", limit: 10000 }` (ethers-io/ethers.js#4703). */
function proposedBy(data: unknown): RangeLimit['proposed'] {
  const { from, to } = Object(data) as { readonly from?: unknown; readonly to?: unknown }
  if (typeof from !== 'string' || typeof to !== 'string' || from.length > 15 || to.length > 15) return undefined
  return rangeOf(Number(from || Number.NaN), Number(to || Number.NaN))
}

function rangeOf(from: number, to: number): RangeLimit['proposed'] {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from ? { from, to } : undefined
}
