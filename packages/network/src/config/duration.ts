import { is, type Schema } from '@wayleave/jsonrpc-core/schema'

/** A time: a whole number of ms, or a text such as `500ms`, `30s` or `2m`. */
export type Duration = number | string

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }
/** Longer waits would overflow a timer. */
const longestMs = 2 ** 31 - 1

/** Reads a time in ms; undefined where it is none. */
function read(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const [, count, unit] = /^(\d{1,10})(ms|s|m)$/.exec(value) ?? []
  return count === undefined ? undefined : Number(count) * units[unit!]!
}

export const duration: Schema<Duration> = is(
  'a time such as 500ms, 30s or 2m, or a whole number of milliseconds; above 0, at most 24 days',
  (value) => {
    const ms = read(value)
    return ms !== undefined && Number.isInteger(ms) && ms > 0 && ms <= longestMs
  },
  () => ({
    anyOf: [
      { type: 'integer', minimum: 1, maximum: longestMs },
      { type: 'string', pattern: '^\\d{1,10}(?:ms|s|m)$' },
    ],
  }),
)

/** The ms of a checked time. */
export function msOf(value: Duration): number {
  return read(value)!
}
