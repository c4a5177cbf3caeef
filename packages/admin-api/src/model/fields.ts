import { array, integer, is, object, type ObjectShape, type Schema, text } from '@wayleave/jsonrpc-core/schema'

/** Ids stand in URLs, logs and metrics. */
export const id: Schema<string> = text(
  '1 to 128 letters, digits, "_", "-", "." or ":"',
  /^(?!\.{1,2}$|__proto__$)[\w.:-]{1,128}$/,
)
export const name: Schema<string> = words(1, 256)
export const label: Schema<string> = words(0, 256)
export const hint: Schema<string> = words(0, 8)
export const time: Schema<number> = integer('a Unix time in whole ms', 0)
export const count: Schema<number> = integer('a whole number, 0 or more', 0)

/** A text without control characters, in well-formed Unicode. */
export function words(least: number, most: number): Schema<string> {
  return is(
    `${least} to ${most} characters without control characters`,
    (value) =>
      typeof value === 'string' &&
      value.length >= least &&
      value.length <= most &&
      !/[\p{Cc}\p{Surrogate}]/u.test(value),
    () => ({ type: 'string', minLength: least, maxLength: most }),
  )
}

/** A text that `accepts` takes; it may throw to refuse. */
export function textThat(expected: string, accepts: (value: string) => unknown): Schema<string> {
  return is(
    expected,
    (value) => {
      try {
        return typeof value === 'string' && accepts(value) !== false
      } catch {
        return false
      }
    },
    () => ({ type: 'string' }),
  )
}

/** A list of at most `most`. */
export function listOf<T>(item: Schema<T>, most: number): Schema<readonly T[]> {
  const list = array(item)
  return {
    ...list,
    check(value, path) {
      if (!Array.isArray(value) || value.length <= most) return list.check(value, path)
      return { path, expected: `at most ${most} entries`, received: String(value.length) }
    },
    json: (of) => ({ type: 'array', items: of(item), maxItems: most }),
  }
}

/** An object that refuses members beyond its shape. */
export function exact<T extends object>(expected: string, shape: ObjectShape<T>): Schema<T> {
  return object(expected, shape, { closed: true })
}
