import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import { isObject } from './schema-parts.ts'

/** An object of any shape. */
export type Members = Readonly<Record<string, unknown>>

/** A value and its place. */
export interface Placed {
  readonly text: unknown
  readonly path: IssuePath
}

/** Makes issues of texts that an earlier entry has too. */
export function repetitions(entries: readonly Placed[], expected: string): readonly Issue[] {
  const seen = new Set<unknown>()
  return entries.flatMap(({ text, path }) => {
    if (typeof text !== 'string') return []
    if (seen.has(text)) return [{ path, expected, received: 'a repetition of an earlier one' }]
    seen.add(text)
    return []
  })
}

/** Makes the issue of a name that no network has. */
export function unknownNetwork(path: IssuePath, slugs: readonly string[], name: string): Issue {
  return { path, expected: `one of ${slugs.join(', ')}`, received: JSON.stringify(name) }
}

/** Reads a list of a value that may have any shape; empty where there is none. */
export function elementsOf(value: unknown, member: string): readonly unknown[] {
  const elements = isObject(value) ? value[member] : undefined
  return Array.isArray(elements) ? elements : []
}
