import type { ConfigPath, Fault } from './shape.ts'

/** Deeper than any configuration. */
const mostLevels = 32

/**
 * A value in which `${NAME}` in every text is replaced from `env`, and what was not set there. What holds itself, as an
 * alias in YAML can make it, is a fault, and nothing stands in its place.
 */
export function interpolate(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: unknown; readonly faults: readonly Fault[] } {
  const faults: Fault[] = []

  function replace(inner: unknown, path: ConfigPath, around: readonly unknown[]): unknown {
    if (typeof inner === 'string') {
      return inner.replace(/\$\{([^}]*)\}?/g, (match, name: string) => {
        const isName = /^[A-Za-z_]\w*$/.test(name) && match.endsWith('}')
        const found = isName ? env[name] : undefined
        // What a shell would read as a default must not become a secret as it stands.
        if (!isName)
          faults.push({ path, expected: '${NAME}, of letters, digits and _', got: 'something else in its place' })
        else if (found === undefined) {
          faults.push({ path, expected: `the environment variable ${name} to be set`, got: 'nothing' })
        }
        return found ?? match
      })
    }
    if (typeof inner !== 'object' || inner === null) return inner
    if (around.includes(inner) || around.length === mostLevels) {
      const got = around.includes(inner) ? 'one that holds itself' : 'more'
      faults.push({ path, expected: `a value of at most ${mostLevels} levels`, got })
      return undefined
    }
    const within = [...around, inner]
    if (Array.isArray(inner)) return inner.map((item, i) => replace(item, [...path, i], within))
    return Object.fromEntries(
      Object.entries(inner).map(([key, member]) => [key, replace(member, [...path, key], within)]),
    )
  }

  return { value: replace(value, [], []), faults }
}
