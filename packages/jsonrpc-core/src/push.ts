import { cutParts } from './json-scan.ts'
import { type RawJson, rawJsonFromText } from './raw-json.ts'

/** One event of a subscription, as a peer sends it. */
export interface Push {
  /** Of the subscription. */
  readonly id: string
  readonly method: string
  readonly result: RawJson
}

/** Reads a notification by the tokens of its method and params; undefined where it is no event of a subscription. */
export function readPush(methodToken: string, params: string | undefined): Push | undefined {
  if (params === undefined) return undefined
  let id: unknown
  let result: string | undefined
  cutParts(params, 0, (start, end, key) => {
    if (key === 'result') result = params.slice(start, end)
    else if (key === 'subscription') id = parseToken(params.slice(start, end))
  })
  const method = parseToken(methodToken)
  if (typeof id !== 'string' || typeof method !== 'string' || result === undefined) return undefined
  return { id, method, result: rawJsonFromText(result) }
}

function parseToken(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
