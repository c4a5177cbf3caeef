import { cutParts } from './json-scan.ts'
import { rawJsonFromText } from './raw-json.ts'
import type { RawJson } from './wire.ts'

/** One event of a subscription, as a peer sends it. */
export interface Push {
  /** The id of the subscription, read by {@link subscriptionKey}. */
  readonly id: string
  readonly method: string
  readonly result: RawJson
}

/** Reads a notification from the tokens of its method and params. Undefined if it is no event of a subscription. */
export function readPush(methodToken: string, params: string | undefined): Push | undefined {
  if (params === undefined) return undefined
  let id: string | undefined
  let result: string | undefined
  cutParts(params, 0, (start, end, key) => {
    if (key === 'result') result = params.slice(start, end)
    else if (/^subscription(_id)?$/.test(key)) id = subscriptionKey(params.slice(start, end))
  })
  const method = parseToken(methodToken)
  if (id === undefined || typeof method !== 'string' || result === undefined) return undefined
  return { id, method, result: rawJsonFromText(result) }
}

/**
 * Reads a subscription id from its token. A string gives its text; a number, as some Starknet nodes send, gives its own
 * digits. Undefined for anything else.
 */
export function subscriptionKey(token: string): string | undefined {
  const id = parseToken(token)
  if (typeof id === 'number') return token
  return typeof id === 'string' ? id : undefined
}

function parseToken(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
