import { readFileSync } from 'node:fs'
import type { StarknetVersion } from '../src/index.ts'

interface VectorFile {
  readonly cases: readonly {
    readonly id: string
    readonly method: 'starknet_estimateFee' | 'starknet_simulateTransactions'
    readonly exchanges: readonly { readonly request: string; readonly response: string }[]
  }[]
}

/** One recorded call: what was asked and what was answered. */
export interface Recorded {
  readonly id: string
  readonly method: 'starknet_estimateFee' | 'starknet_simulateTransactions'
  /** Undefined where the case is not of one version alone. */
  readonly version: StarknetVersion | undefined
  readonly params: unknown
  readonly answer: {
    readonly result?: unknown
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  }
}

/** Reads the recorded answers of nodes of 0.6 to 0.10. */
export function recorded(): Recorded[] {
  const text = readFileSync(new URL('./vectors/recorded-answers.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as VectorFile).cases.flatMap(({ id, method, exchanges }) =>
    exchanges.map(({ request, response }) => ({
      id,
      method,
      version: /\/(0\.\d+)\.0-/.exec(id)?.[1] as StarknetVersion | undefined,
      params: (JSON.parse(request) as { readonly params: unknown }).params,
      answer: JSON.parse(response) as Recorded['answer'],
    })),
  )
}

/** All places in a value, the value itself first; of a long list the first three elements. */
export function pathsIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, 3).map((each, i) => [i, each])
    : Object.entries(value)
  return [path, ...entries.flatMap(([key, member]) => pathsIn(member, [...path, key]))]
}

/** A deep copy with one place set, or removed by `undefined`. */
export function altered(value: unknown, path: readonly (string | number)[], to: unknown): unknown {
  const last = path.at(-1)
  if (last === undefined) return to
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((node, key) => (node as Record<string | number, unknown>)[key], copy)
  if (to === undefined) delete (parent as Record<string | number, unknown>)[last]
  else (parent as Record<string | number, unknown>)[last] = to
  return copy
}
