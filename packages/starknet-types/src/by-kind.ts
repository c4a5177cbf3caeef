import { choice, type Schema } from '@wayleave/jsonrpc-core/schema'

/** One of several objects, told apart by `type`, or by `type` and `version`; a query version counts as the one it tries. */
export function byKind<T>(what: string, kinds: Readonly<Record<string, { check: Schema<never>['check'] }>>): Schema<T> {
  return choice<T>(`${what}: ${Object.keys(kinds).join(', ')}`, (value) => {
    const { type, version } = Object(value) as Partial<Record<string, unknown>>
    const whole = `${String(type)} ${String(version).replace(/^0x10{31}(?=.$)/, '0x')}`
    const kind = [whole, String(type)].find((each) => Object.hasOwn(kinds, each))
    return kind === undefined ? undefined : kinds[kind]
  })
}
