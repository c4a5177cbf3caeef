import { get } from 'node:http'

/** The longest wait for an answer, in ms: it looks at upstreams, each for two seconds at most. */
const patienceMs = 5_000

/** Longest text that is read, in characters. */
const longestText = 65_536

/**
 * Asks a gateway whether it is ready, at `/readyz` of its admin listener, an `http:` URL. Resolves with the exit code, 0 where it is, and its lines, or why
 * there are none.
 */
export function askHealth(admin: string): Promise<{ readonly code: 0 | 1; readonly text: string }> {
  return new Promise((resolve) => {
    const fail = (why: string): void => resolve({ code: 1, text: `${admin} does not answer: ${why}\n` })
    const asked = get(new URL('/readyz', admin), { agent: false, timeout: patienceMs }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part.slice(0, longestText - text.length)))
      answer.once('error', (thrown) => fail(thrown.message))
      answer.once('end', () => resolve({ code: answer.statusCode === 200 ? 0 : 1, text }))
    })
    asked.once('timeout', () => asked.destroy(new Error(`nothing came within ${patienceMs / 1_000} s`)))
    asked.once('error', (thrown: NodeJS.ErrnoException) => fail(thrown.code ?? thrown.message))
  })
}
