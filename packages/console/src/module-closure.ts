import { posix } from 'node:path'

/**
 * Lists a module, and all that it imports at once, directly or not: names of modules as they stand to `read`, and bare names of libraries.
 * `read` gives the text of a module as the compiler prints it.
 */
export function closureOf(entry: string, read: (name: string) => string): readonly string[] {
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    for (const [, wanted] of read(name).matchAll(/^(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?["']([^"']+)["'];?$/gm)) {
      if (wanted!.startsWith('.')) visit(posix.join(posix.dirname(name), wanted!))
      else found.add(wanted!)
    }
  }
  visit(entry)
  return [...found]
}
