import { get } from 'node:http'
import { afterMs } from './defaults.ts'

/** The longest wait for a whole answer, in ms: it looks at upstreams, each for two seconds at most. */
const patienceMs = 5_000

/** Longest text that is read, in characters. */
const longestText = 65_536

/**
 * Asks a gateway whether it is ready, at `/readyz` of its admin listener, an `http:` URL. Resolves with the exit code, 0 where it is, and its lines, or why
 * there are none.
 */
export function askHealth(
  admin: string,
  late: AbortSignal = afterMs(patienceMs),
): Promise<{ readonly code: 0 | 1; readonly text: string }> {
  return new Promise((resolve) => {
    const fail = (thrown: NodeJS.ErrnoException): void => {
      const why = late.aborted ? `nothing whole came within ${patienceMs / 1_000} s` : (thrown.code ?? thrown.message)
      resolve({ code: 1, text: `${admin} does not answer: ${why}\n` })
    }
    // A timeout of the socket would begin anew with each byte.
    const asked = get(new URL('/readyz', admin), { agent: false, signal: late }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part.slice(0, longestText - text.length)))
      answer.once('error', fail)
      answer.once('end', () => resolve({ code: answer.statusCode === 200 ? 0 : 1, text }))
    })
    asked.once('error', fail)
  })
}
