/** A number of a JSON text, with all of its digits. */
export class Digits {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value whose numbers keep their digits. */
export type Exact = string | boolean | null | Digits | readonly Exact[] | { readonly [member: string]: Exact }

/** Reads JSON text without losing a digit. @throws SyntaxError */
export function readExact(json: string): Exact {
  const read = (_key: string, value: unknown, context?: { readonly source: string }): unknown =>
    typeof value === 'number' ? new Digits(context!.source) : value
  return JSON.parse(json, read) as Exact
}

/** Prints a string as it is, and anything else as JSON. */
export function printLeaf(value: Exact): string {
  if (typeof value === 'string') return value
  return value instanceof Digits ? value.text : JSON.stringify(value)
}

export function isRecord(value: Exact): value is { readonly [member: string]: Exact } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits)
}

/** Lists the leaves of a value, each with its path: `logs[0].address`. Empty arrays and objects are leaves. */
export function leavesOf(value: Exact, path = ''): [path: string, leaf: string][] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item, i) => leavesOf(item, `${path}[${i}]`))
  if (isRecord(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`))
  }
  return [[path, printLeaf(value)]]
}
