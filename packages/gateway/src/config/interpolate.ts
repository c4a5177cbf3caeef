import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'

/** The text of a file, or the words of an issue about it. */
export type SecretText = { readonly text: string } | { readonly expected: string; readonly received: string }

/** More levels than any configuration has. */
const mostLevels = 32

const placeholder = /\$\{([^}]*)\}?/g
const filePrefix = 'file:'

/** The paths of all `${file:PATH}` in the texts of a value, each once. */
export function filePathsIn(value: unknown): ReadonlySet<string> {
  const paths = new Set<string>()
  eachText(value, (text) => {
    for (const [match, name] of text.matchAll(placeholder)) {
      if (isFile(match, name!)) paths.add(name!.slice(filePrefix.length))
    }
    return text
  })
  return paths
}

function isFile(match: string, name: string): boolean {
  return name.startsWith(filePrefix) && name.length > filePrefix.length && match.endsWith('}') && !name.includes('\0')
}

/**
 * Replaces `${NAME}` in every text from `env`, and `${file:PATH}` from `files`. Issues tell the names that are not set, files that have
 * no text, and values that hold themselves, as an alias in YAML can make them; these become undefined. What is put in is not read again.
 */
export function interpolate(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  files: ReadonlyMap<string, SecretText> = new Map(),
): { readonly value: unknown; readonly issues: readonly Issue[] } {
  const issues: Issue[] = []

  function textOf(match: string, name: string, path: IssuePath): string | undefined {
    if (isFile(match, name)) {
      const file = files.get(name.slice(filePrefix.length)) ?? noFiles
      if ('text' in file) return file.text
      issues.push({ path, ...file })
      return undefined
    }
    // A text that a shell would read as a default must not become a secret.
    if (!/^[A-Za-z_]\w*$/.test(name) || !match.endsWith('}')) {
      const expected = '${NAME}, of letters, digits and _, or ${file:PATH}'
      issues.push({ path, expected, received: 'something else in its place' })
      return undefined
    }
    const found = env[name]
    // A rule or a secret must not vanish because its variable renders nothing; a file without text is refused, too.
    if (found === undefined || found.trim() === '') {
      const received = found === undefined ? 'nothing' : 'an empty one'
      issues.push({ path, expected: `the environment variable ${name} to be set`, received })
    }
    return found
  }

  const replaced = eachText(
    value,
    (text, path) => text.replace(placeholder, (match, name: string) => textOf(match, name, path) ?? match),
    (issue) => issues.push(issue),
  )
  return { value: replaced, issues }
}

const noFiles: SecretText = { expected: 'no ${file:…} here', received: 'one' }

/** Rebuilds a value with other texts. */
function eachText(
  value: unknown,
  change: (text: string, path: IssuePath) => string,
  onIssue: (issue: Issue) => void = () => {},
): unknown {
  function replace(inner: unknown, path: IssuePath, around: readonly unknown[]): unknown {
    if (typeof inner === 'string') return change(inner, path)
    if (typeof inner !== 'object' || inner === null) return inner
    if (around.includes(inner) || around.length === mostLevels) {
      const received = around.includes(inner) ? 'one that holds itself' : 'more'
      onIssue({ path, expected: `a value of at most ${mostLevels} levels`, received })
      return undefined
    }
    const within = [...around, inner]
    if (Array.isArray(inner)) return inner.map((item, i) => replace(item, [...path, i], within))
    return Object.fromEntries(
      Object.entries(inner).map(([key, member]) => [key, replace(member, [...path, key], within)]),
    )
  }
  return replace(value, [], [])
}
