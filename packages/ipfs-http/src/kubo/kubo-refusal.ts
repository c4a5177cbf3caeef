import type { IncomingMessage } from 'node:http'
import { IpfsError, type IpfsErrorCode } from '../error.ts'

/** Longest refusal that is read, in characters. */
const longestRefusal = 65_536

/** Reads an answer of another status than 200 as an error. `redact` removes credentials from its text. */
export async function refusalOf(incoming: IncomingMessage, redact: (text: string) => string): Promise<IpfsError> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > longestRefusal) break
  }
  const { statusCode: status = 0 } = incoming
  const message = status === 500 || status === 400 ? messageOf(text) : undefined
  if (message !== undefined) return nodeError(redact(message), status)
  return new IpfsError('http_status', `the IPFS node refused with HTTP ${status}`, { status })
}

/** The message of a node; undefined for texts that no node sends, such as the page of a proxy. */
function messageOf(text: string): string | undefined {
  try {
    const { Message: message } = JSON.parse(text) as { readonly Message?: unknown }
    return typeof message === 'string' ? message : undefined
  } catch {
    return /^\s*(?:<|$)/.test(text) ? undefined : text.trim()
  }
}

const known: readonly (readonly [RegExp, IpfsErrorCode])[] = [
  [/is a directory/, 'is_directory'],
  [/not pinned/, 'not_pinned'],
  [/no link named|could not find|not found/, 'not_found'],
  [/invalid (?:path|cid)|does not have enough components/i, 'bad_argument'],
]

/** An error in Kubo's own words, since its clients match on them. */
export function nodeError(said: string, status?: number): IpfsError {
  const message = said.slice(0, 1_000)
  const code = known.find(([words]) => words.test(message))?.[1] ?? 'http_status'
  return new IpfsError(code, message, { status })
}
