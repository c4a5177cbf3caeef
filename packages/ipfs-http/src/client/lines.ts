import { IpfsError, type IpfsErrorCode } from '../error.ts'

/** Longest line by default: far above any line of this API, except all pins in one. */
const mostCharacters = 1 << 20

/**
 * Reads the objects of an answer of newline-separated JSON.
 * @throws IpfsError `stream_error` for a line with an error, `invalid_response` for a line that is no object, `truncated` if
 * that is the last line and has no end, `too_large`
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  redact: (text: string) => string,
  longestLine: number = mostCharacters,
): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    rest += text
    // Otherwise a long line in small pieces would be read again with each of them.
    if (text.includes('\n')) {
      const lines = rest.split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line.trim() !== '') yield await parse(line, redact)
    }
    if (rest.length > longestLine)
      throw new IpfsError('too_large', `expected lines of ${longestLine} characters at most`)
  }
  rest += decoder.decode()
  if (rest.trim() !== '') yield await parse(rest, redact, 'truncated')
}

async function parse(
  line: string,
  redact: (text: string) => string,
  code: IpfsErrorCode = 'invalid_response',
): Promise<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {}
  if (typeof value !== 'object' || value === null) {
    throw new IpfsError(code, 'expected lines of JSON: check url, or retry')
  }
  const object = value as Record<string, unknown>
  if (object['Type'] === 'error') throw (await import('./refusal.ts')).brokenOff(line, redact)
  return object
}
