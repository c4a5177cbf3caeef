import { inspect } from 'node:util'

/** Everything that an error and its causes show, in all the ways in which people print them. */
export function shownBy(thrown: unknown): string {
  const shown: string[] = []
  for (let error = thrown; error !== undefined && error !== null; error = (error as { cause?: unknown }).cause) {
    const { message, stack } = error as Error
    shown.push(String(error), message, String(stack), JSON.stringify(error) ?? '')
    shown.push(JSON.stringify(error, Object.getOwnPropertyNames(error)))
    shown.push(inspect(error, { depth: Infinity, showHidden: true, getters: true, maxStringLength: Infinity }))
  }
  return shown.join('\n')
}

/** The spellings of a secret in which some error could hold it. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const percent = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const unicode = secret
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
  return [
    secret,
    secret.toLowerCase(),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    percent,
    percent.toUpperCase(),
    unicode,
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...[secret, `:${secret}`, `user:${secret}`, `{"k":"${secret}"}`].flatMap((text) => {
      const base64 = Buffer.from(text).toString('base64')
      return [base64, encodeURIComponent(base64), Buffer.from(text).toString('base64url')]
    }),
  ]
}
