import { choice, describeValue, type Schema } from '@wayleave/jsonrpc-core/schema'

/** One of several objects, told apart by `type`, or by `type` and `version`; a query version counts as the one it tries. */
export function byKind<T>(what: string, kinds: Readonly<Record<string, { check: Schema<never>['check'] }>>): Schema<T> {
  const expected = `${what}: ${Object.keys(kinds).join(', ')}`
  return choice<T>(expected, (value) => {
    const { type, version } = Object(value) as Partial<Record<string, unknown>>
    // Nothing else may be made a string: what it holds is a stranger's, and as deep as he likes.
    const plain = typeof version === 'string' && version.replace(/^0x10{31}(?=.$)/, '0x')
    const names = typeof type === 'string' ? [`${type} ${plain}`, type] : []
    const kind = names.find((each) => Object.hasOwn(kinds, each))
    if (kind !== undefined) return kinds[kind]
    const received = `type ${describeValue(type)}, version ${describeValue(version)}`
    return { check: (_, path) => ({ path, expected, received }) }
  })
}
