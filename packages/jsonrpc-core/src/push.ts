import { cutParts } from './json-scan.ts'
import { rawJsonFromText } from './raw-json.ts'
import type { RawJson } from './wire.ts'

/** One event of a subscription, as a peer sends it. */
export interface Push {
  /** Of the subscription: what {@link subscriptionKey} makes of it. */
  readonly id: string
  readonly method: string
  readonly result: RawJson
}

/** Reads a notification by the tokens of its method and params; undefined where it is no event of a subscription. */
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
 * An id by its token: a text stands for itself, and a number, as some nodes of Starknet give, for its own digits; undefined
 * where it is neither.
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
