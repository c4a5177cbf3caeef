import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A member of an interface, as its source has it. */
interface DocumentedMember {
  readonly doc: string | undefined
  /** The text of its type. */
  readonly type: string
}

/** Members by the name of their interface, those of `extends` included. */
export type Docstrings = ReadonlyMap<string, ReadonlyMap<string, DocumentedMember>>

const packages = fileURLToPath(new URL('../../../../', import.meta.url))

/** Reads the docstrings of all interfaces of a configuration. */
export function readDocstrings(): Docstrings {
  const folder = `${packages}gateway/src/config/`
  const files = [
    ...readdirSync(folder).map((name) => folder + name),
    ...['plan.ts', 'gcra.ts'].map((name) => `${packages}metering/src/${name}`),
    `${packages}auth/src/rules/rules.ts`,
  ]
  const found = new Map<string, { readonly parents: readonly string[]; readonly own: Map<string, DocumentedMember> }>()
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    for (const [, name, parents, body] of text.matchAll(
      /^(?:export )?interface (\w+)(?: extends ([\w, ]+))? \{\n(.*?)^\}/gms,
    )) {
      found.set(name!, { parents: parents?.split(', ') ?? [], own: membersOf(body!) })
    }
    // `type A = B | C` stands for both.
    for (const [, name, union] of text.matchAll(/^export type (\w+) = ((?:\w+ \| )+\w+)$/gm)) {
      found.set(name!, { parents: union!.split(' | '), own: new Map() })
    }
  }
  const all = (name: string): readonly (readonly [string, DocumentedMember])[] => {
    const { parents = [], own = new Map<string, DocumentedMember>() } = found.get(name) ?? {}
    return [...parents.flatMap(all), ...own]
  }
  return new Map([...found.keys()].map((name) => [name, new Map(all(name))]))
}

function membersOf(body: string): Map<string, DocumentedMember> {
  const members = body.matchAll(memberForm)
  return new Map(
    Array.from(members, ([, doc, name, type]) => [name!, { doc: doc && plain(doc), type: type! }] as const),
  )
}

const memberForm = /^ {2}(?:\/\*\*((?:(?!\*\/).)*)\*\/\s+)?readonly (\w+)\??:\s+([^\n]*)$/gms

function plain(doc: string): string {
  return doc
    .replaceAll(/\n\s*\* ?/g, ' ')
    .replaceAll(/\{@link (\w+)\}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
