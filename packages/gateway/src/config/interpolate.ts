import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'

/** More levels than any configuration has. */
const mostLevels = 32

/**
 * Replaces `${NAME}` in every text from `env`. Issues tell the names that are not set, and values that hold themselves, as
 * an alias in YAML can make them; these become undefined.
 */
export function interpolate(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: unknown; readonly issues: readonly Issue[] } {
  const issues: Issue[] = []

  function replace(inner: unknown, path: IssuePath, around: readonly unknown[]): unknown {
    if (typeof inner === 'string') {
      return inner.replace(/\$\{([^}]*)\}?/g, (match, name: string) => {
        const isName = /^[A-Za-z_]\w*$/.test(name) && match.endsWith('}')
        const found = isName ? env[name] : undefined
        // A text that a shell would read as a default must not become a secret.
        if (!isName)
          issues.push({ path, expected: '${NAME}, of letters, digits and _', received: 'something else in its place' })
        else if (found === undefined) {
          issues.push({ path, expected: `the environment variable ${name} to be set`, received: 'nothing' })
        }
        return found ?? match
      })
    }
    if (typeof inner !== 'object' || inner === null) return inner
    if (around.includes(inner) || around.length === mostLevels) {
      const received = around.includes(inner) ? 'one that holds itself' : 'more'
      issues.push({ path, expected: `a value of at most ${mostLevels} levels`, received })
      return undefined
    }
    const within = [...around, inner]
    if (Array.isArray(inner)) return inner.map((item, i) => replace(item, [...path, i], within))
    return Object.fromEntries(
      Object.entries(inner).map(([key, member]) => [key, replace(member, [...path, key], within)]),
    )
  }

  return { value: replace(value, [], []), issues }
}
