/**
 * Reads `Retry-After`: seconds, or an HTTP date (RFC 9110 §10.2.3).
 * `now` is the wall clock in ms. Undefined where it is absent or neither.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const trimmed = value.trim()
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 1000
  // oxlint-disable-next-line eslint/no-restricted-globals -- parsing a given date reads no clock
  const at = /^[A-Z][a-z]{2}/.test(trimmed) ? Date.parse(trimmed) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
