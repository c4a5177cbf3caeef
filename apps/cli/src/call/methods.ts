import { evmMethods } from '@wayleave/evm-types'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'

/** The part of a method's spec that the command needs, without its types. */
export interface Method {
  /** The name in JSON-RPC: `eth_getBalance`. */
  readonly name: string
  readonly summary: string
  readonly source: string
  readonly params: { check: Schema<never>['check'] }
  readonly result: { check: Schema<never>['check'] }
  readonly paramNames?: readonly string[]
  readonly blockParam?: number
  readonly addressPaths?: readonly string[]
}

/** Finds the method of the table with this name; undefined if there is none. */
export function methodNamed(name: string): Method | undefined {
  if (!Object.hasOwn(evmMethods, name)) return undefined
  return { name, ...evmMethods[name as keyof typeof evmMethods] }
}

/** Lists all methods of the table with their summaries. */
export function methodSummaries(): readonly { readonly name: string; readonly summary: string }[] {
  return Object.entries(evmMethods).map(([name, { summary }]) => ({ name, summary }))
}

/** Lists the methods of the table whose names begin with one of `prefixes`, in the table's order. */
export function methodsUnder(...prefixes: readonly string[]): readonly Method[] {
  return Object.keys(evmMethods)
    .filter((name) => prefixes.some((prefix) => name.startsWith(`${prefix}_`)))
    .map((name) => methodNamed(name)!)
}

/** Prints `eth_getStorageAt` as a person types it: `get-storage-at`. */
export function kebabOf(name: string): string {
  return name
    .replace(/^[a-z0-9]+_/, '')
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .toLowerCase()
}

/**
 * Finds `get-balance`, `getBalance`, `eth_getBalance`, and `balance` for short. @throws UsageError that suggests a similar name, also one
 * of `others`
 */
export function findMethod(text: string, methods: readonly Method[], others: readonly string[] = []): Method {
  if (/:\/\//.test(text)) throw new UsageError('a URL came where a METHOD was expected: give it by --rpc-url')
  const wanted = plain(text)
  const found =
    methods.find(({ name }) => name === text || plain(kebabOf(name)) === wanted) ??
    methods.find(({ name }) => plain(kebabOf(name)) === `get${wanted}`)
  if (found !== undefined) return found
  const known = methodNamed(text) === undefined ? '' : `; wayleave rpc ${text} calls it`
  const near = suggest(text, [...others, ...methods.map(({ name }) => kebabOf(name))])
  throw new UsageError(`there is no method "${text}"${known === '' ? near : known}`)
}

/** Takes dashes and capitals from a name, which a person may type or leave out. */
export function plain(text: string): string {
  return text.replaceAll('-', '').toLowerCase()
}
