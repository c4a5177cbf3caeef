import { readFileSync } from 'node:fs'

interface VectorFile {
  readonly cases: readonly {
    readonly id: string
    readonly exchanges: readonly { readonly request: string; readonly response: string }[]
  }[]
}

/** One recorded call: what was asked and what was answered. */
export interface Recorded {
  readonly id: string
  readonly method: string
  readonly params: unknown
  readonly answer: { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }
}

/** The calls of a vector file. */
export function recorded(file: string): Recorded[] {
  const text = readFileSync(new URL(`./vectors/${file}`, import.meta.url), 'utf8')
  return (JSON.parse(text) as VectorFile).cases.flatMap(({ id, exchanges }) =>
    exchanges.map(({ request, response }) => {
      const { method, params } = JSON.parse(request) as { method: string; params?: unknown }
      return { id, method, params: params ?? [], answer: JSON.parse(response) as Recorded['answer'] }
    }),
  )
}

/** The result of one recorded call, by the id of its case. */
export function recordedResult<T>(file: string, id: string): T {
  const found = recorded(file).find((call) => call.id === id)
  if (found === undefined) throw new Error(`no case ${id} in ${file}`)
  return found.answer.result as T
}

/** A deep copy of `value` with one member set, or removed by `undefined`. */
export function altered(value: object, path: readonly (string | number)[], to: unknown): unknown {
  const copy: unknown = structuredClone(value)
  const last = path.at(-1)
  const parent = path.slice(0, -1).reduce((node, key) => (node as Record<string | number, unknown>)[key], copy)
  if (last === undefined) return to
  if (to === undefined) delete (parent as Record<string | number, unknown>)[last]
  else (parent as Record<string | number, unknown>)[last] = to
  return copy
}
