import { posix } from 'node:path'

/** Modules that were joined into one. */
export interface JoinedModules {
  /** The text of the one module. */
  readonly text: string
  /** The names of libraries that it imports. */
  readonly libraries: readonly string[]
  /** What to serve under the names of the modules that went into it: the same exports, without a second instance. */
  readonly stubs: ReadonlyMap<string, string>
}

/** The name under which the one module exports those in it. */
const inside = 'modules'

/**
 * Joins a module with all that it imports at once, so that a page begins with one request, whose text compresses a third better than that of forty
 * small ones. It reads what esbuild prints of modules in the style of this repository: imports of names on top, one list of exports, no
 * circles. `read` gives the text of a module by its name.
 */
export function joinModules(entry: string, read: (name: string) => string): JoinedModules {
  const libraries: string[] = []
  const stubs = new Map<string, string>()
  const bodies: string[] = []

  const visit = (name: string): void => {
    if (stubs.has(name)) return
    // The place of the module is held, as a circle would lead back here.
    stubs.set(name, '')
    const text = read(name)
    const body = text.replaceAll(
      /^import\s+(?:(\w+)|(\{[^}]*\}))?(?:\s*from\s*)?["']([^"']+)["'];?$/gm,
      (_, whole: string | undefined, names: string | undefined, from: string) => {
        const source = sourceOf(from, name)
        if (whole !== undefined) return `const { default: ${whole} } = ${source};`
        return names === undefined ? '' : `const ${names.replaceAll(/\s+as\s+/g, ': ')} = ${source};`
      },
    )
    const exported: string[] = []
    const plain = body.replaceAll(/^export \{([^}]*)\};$/gm, (_, names: string) => {
      exported.push(...names.split(',').map((each) => each.trim()))
      return ''
    })
    const rest = /^(?:import|export)\s.*$/m.exec(plain)
    const renamed = exported.find((each) => !/^\w+$/.test(each))
    if (rest !== null || renamed !== undefined)
      throw new Error(`${name}: expected imports of names and one list of exports: ${rest?.[0] ?? renamed}`)
    const names = exported.join(', ')
    bodies.push(
      `${inside}[${quoted(name)}] = (() => {\n${withoutIndent(plain).trimEnd()}\nreturn { ${names} };\n})();\n`,
    )
    stubs.set(
      name,
      `import { ${inside} } from ${quoted(relative(name, entry))};\nexport const { ${names} } = ${inside}[${quoted(name)}];\n`,
    )
  }

  function sourceOf(from: string, by: string): string {
    if (from.startsWith('.')) {
      const name = posix.join(posix.dirname(by), from)
      visit(name)
      return `${inside}[${quoted(name)}]`
    }
    if (!libraries.includes(from)) libraries.push(from)
    return `library${libraries.indexOf(from)}`
  }

  visit(entry)
  stubs.delete(entry)
  const imports = libraries.map((name, i) => `import * as library${i} from ${quoted(name)};\n`)
  return { text: `${imports.join('')}export const ${inside} = {};\n${bodies.join('')}`, libraries, stubs }
}

/** Takes the indentation away, unless a template goes over several lines. */
function withoutIndent(text: string): string {
  const isPlain = text.split('\n').every((line) => line.split('`').length % 2 === 1)
  return isPlain ? text.replaceAll(/^ +/gm, '') : text
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
