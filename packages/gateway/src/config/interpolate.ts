import type { ConfigPath, Fault } from './shape.ts'

/** A value in which `${NAME}` in every text is replaced from `env`, and what was not set there. */
export function interpolate(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: unknown; readonly faults: readonly Fault[] } {
  const faults: Fault[] = []

  function replace(inner: unknown, path: ConfigPath): unknown {
    if (typeof inner === 'string') {
      return inner.replace(/\$\{([A-Za-z_]\w*)\}/g, (match, name: string) => {
        const found = env[name]
        if (found === undefined) {
          faults.push({ path, expected: `the environment variable ${name} to be set`, got: 'nothing' })
        }
        return found ?? match
      })
    }
    if (Array.isArray(inner)) return inner.map((item, i) => replace(item, [...path, i]))
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, replace(member, [...path, key])]))
  }

  return { value: replace(value, []), faults }
}
