import { cutParts, type RawJson, rawJsonFromText } from '@wayleave/jsonrpc-core'
import { heightOf } from './quantity.ts'

/** A block of the stream. */
export interface StreamBlock {
  readonly number: number
  /** 32 bytes in hex, lower case; the parent's too. */
  readonly hash: string
  readonly parentHash: string
  /** The header as geth announces it to subscribers of `newHeads`, with the node's bytes. */
  readonly header: RawJson
}

/** Members of a block that are not of its header, which geth therefore does not announce. */
const beyondHeader = new Set(['size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals'])

/** Headers that were read: many subscriptions may be told the same. */
const readHeaders = new WeakMap<RawJson, StreamBlock>()

/** Reads a block or a header as a node tells it; undefined where it is none. Members beyond the header are cut out. */
export function streamBlockOf(reported: RawJson): StreamBlock | undefined {
  const known = readHeaders.get(reported)
  if (known !== undefined) return known
  let text: string
  let value: unknown
  try {
    text = reported.text()
    value = reported.value()
  } catch {
    return undefined
  }
  const members = Object(value) as { readonly number?: unknown; readonly hash?: unknown; readonly parentHash?: unknown }
  const number = heightOf(members.number)
  const hash = hashOf(members.hash)
  const parentHash = hashOf(members.parentHash)
  if (number === undefined || hash === undefined || parentHash === undefined) return undefined
  const block = { number, hash, parentHash, header: announced(reported, text) }
  readHeaders.set(block.header, block)
  return block
}

function announced(reported: RawJson, text: string): RawJson {
  const kept: string[] = []
  let isWhole = true
  cutParts(text, text.indexOf('{'), (start, end, key) => {
    if (beyondHeader.has(key)) isWhole = false
    else kept.push(`${JSON.stringify(key)}:${text.slice(start, end)}`)
  })
  return isWhole ? reported : rawJsonFromText(`{${kept.join(',')}}`)
}

function hashOf(hash: unknown): string | undefined {
  return typeof hash === 'string' && /^0x[\da-f]{64}$/i.test(hash) ? hash.toLowerCase() : undefined
}
