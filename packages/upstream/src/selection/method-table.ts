/** Finds the entry of a method in a table by name. */
export type MethodTable<T> = (method: string) => T | undefined

/** Names that are remembered; callers choose them. */
const mostNames = 512

/**
 * Makes a table of methods: names, prefixes such as `debug_*`, or `*`. A name goes before prefixes, a longer prefix before a shorter
 * one. Names are compared without case, as some nodes compare them.
 */
export function createMethodTable<T>(entries: Readonly<Record<string, T>>): MethodTable<T> {
  const exact = new Map<string, T>()
  const prefixes: (readonly [prefix: string, value: T])[] = []
  for (const [pattern, value] of Object.entries(entries)) {
    const name = pattern.toLowerCase()
    if (name.endsWith('*')) prefixes.push([name.slice(0, -1), value])
    else exact.set(name, value)
  }
  prefixes.sort(([a], [b]) => b.length - a.length)
  const found = new Map<string, T | undefined>()

  function find(method: string): T | undefined {
    const name = method.toLowerCase()
    return exact.has(name) ? exact.get(name) : prefixes.find(([prefix]) => name.startsWith(prefix))?.[1]
  }

  return (method) => {
    const known = found.get(method)
    if (known !== undefined || found.has(method)) return known
    if (found.size >= mostNames) found.clear()
    const value = find(method)
    found.set(method, value)
    return value
  }
}

/** Whether the name of a method says that it sends something: one that is in no table may be a write. */
export const sendsByName = (method: string): boolean => !/_get[A-Z]/.test(method) && /send|submit/i.test(method)

/** The methods that an upstream is asked for, as the operator wrote them: names, or prefixes such as `debug_*`. */
export interface MethodRules {
  /** Only these, where given. */
  readonly allow?: readonly string[] | undefined
  /** Not these; they prevail. */
  readonly deny?: readonly string[] | undefined
}

/** Returns a function that says whether a method is allowed; undefined where every method is. */
export function createMethodFilter({ allow, deny }: MethodRules): ((method: string) => boolean) | undefined {
  if (allow === undefined && (deny === undefined || deny.length === 0)) return undefined
  const allowed = allow && createMethodTable(Object.fromEntries(allow.map((pattern) => [pattern, true])))
  const denied = createMethodTable(Object.fromEntries((deny ?? []).map((pattern) => [pattern, true])))
  return (method) => denied(method) === undefined && (allowed === undefined || allowed(method) === true)
}
