import type { AdminIssue, ImportedKey } from '@wayleave/admin-api'
import type * as Auth from '@wayleave/auth'
import { type CommandIo, UsageError } from '../command.ts'
import { accountFlags, accountFlagsHelp, readNamedArgs, readText } from './flags.ts'
import { type Column, countOf, printRows } from './print.ts'
import { readStdin } from './stdin.ts'
import type { Subcommand } from './subcommands.ts'

const flags = { ...accountFlags, project: { type: 'string' } } as const
/** The API takes no more at once. */
const mostKeys = 1_000

interface Line {
  /** From 1. */
  readonly line: number
  readonly key: ImportedKey
}

export const importKeys: Subcommand = {
  usage: 'FILE [flags]',
  summary: 'keeps keys of elsewhere, listed in a file',
  help: `FILE, or stdin (-), has a key a line, at most ${mostKeys}:

  PROJECT KEY [LABEL]

with spaces or tabs between; --project P leaves the first away. KEY has 16 to 128 characters of A-Z a-z 0-9 _ -, such as 32 hex digits, or is
sha256: and 64 hex digits. Empty lines and those that begin with # count for nothing. If a line is wrong, nothing is imported. A key
that its project has already stays as it is, so an import may be repeated. A pipe gets outcome (created, exists), project and id.

  --project P         the project of all lines
  --json              {"items":[{"id","projectId","outcome"}]}; an error as {"error":…}
${accountFlagsHelp}
`,
  async run(args, io) {
    const { values, positionals } = readNamedArgs(args, flags, ['FILE'])
    const file = positionals[0]!
    if (file === '-' && values['token-file'] === '-') throw new UsageError('--token-file: stdin has the keys already')
    const text = file === '-' ? await readStdin(io) : await readText('FILE', file)
    const [auth, { runAccounts }] = await Promise.all([import('@wayleave/auth'), import('./run-accounts.ts')])
    const lines = readLines(auth, text, values.project, file)
    const placeOf = ({ path }: AdminIssue): string => {
      const found = lines[Number(/^\[(\d+)\]/.exec(path)?.[1] ?? Number.NaN)]
      return found === undefined ? path : `${file}:${found.line}`
    }
    return runAccounts({ name: 'keys import', io, flags: values, placeOf }, async (client) => {
      const result = await client.keys.import(lines.map(({ key }) => key))
      if (values.json) io.stdout(`${JSON.stringify(result)}\n`)
      else report(result.items, io)
    })
  },
}

/** Reads the lines of a file. @throws UsageError that names every line that is wrong, and repeats none */
function readLines(
  { isApiKey, isWeakKey, minKeyLength, parseHash }: typeof Auth,
  text: string,
  project: string | undefined,
  file: string,
): readonly Line[] {
  const wrong: string[] = []
  const lines: Line[] = []
  const first = new Map<string, number>()
  for (const [i, raw] of text.split('\n').entries()) {
    const trimmed = raw.replace(/^\uFEFF/, '').trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const refuse = (why: string): void => void wrong.push(`${file}:${i + 1}: ${why}`)
    const form = project === undefined ? /^(\S+)\s+(\S+)(?:\s+(.+))?$/ : /^()(\S+)(?:\s+(.+))?$/
    const [, named, key, label] = form.exec(trimmed) ?? []
    if (key === undefined) {
      refuse('expected PROJECT KEY [LABEL], or --project P')
      continue
    }
    const isHash = key.startsWith('sha256:')
    if (isHash ? parseHash(key) === undefined : !isApiKey(key) || isWeakKey(key)) {
      refuse(`expected a key of ${minKeyLength} to 128 characters of A-Z a-z 0-9 _ -, or sha256: and 64 hex digits`)
      continue
    }
    const twin = first.get(key)
    if (twin !== undefined) refuse(`the same key as in line ${twin}`)
    first.set(key, twin ?? i + 1)
    const owner = project ?? named!
    lines.push({
      line: i + 1,
      key: { project: owner, ...(isHash ? { keyHash: key } : { key }), ...(label !== undefined && { label }) },
    })
  }
  if (wrong.length === 0 && lines.length > mostKeys) {
    throw new UsageError(
      `${file}: expected at most ${mostKeys} keys, got ${lines.length}; split it, an import may be repeated`,
    )
  }
  if (wrong.length === 0 && lines.length === 0) throw new UsageError(`${file}: expected a key a line, got none`)
  if (wrong.length > 0) {
    const shown = wrong.slice(0, 20)
    const rest = wrong.length > shown.length ? [`and ${wrong.length - shown.length} more`] : []
    throw new UsageError(`nothing was imported\n${[...shown, ...rest].join('\n')}`)
  }
  return lines
}

type Outcome = { readonly outcome: string; readonly projectId: string; readonly id: string }

const columns: readonly Column<Outcome>[] = [
  { title: 'outcome', cell: ({ outcome }) => outcome },
  { title: 'project', cell: ({ projectId }) => projectId },
  { title: 'id', cell: ({ id }) => id },
]

function report(items: readonly Outcome[], io: CommandIo): void {
  const created = items.filter(({ outcome }) => outcome === 'created').length
  const known = items.length - created
  printRows(items, columns, `${countOf(created, 'key')} created, ${known} there before`, io)
}
