import { readFile } from 'node:fs/promises'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { UsageError } from '../command.ts'
import type { Parsed, ValuesOf } from '../read-args.ts'

/** The flags of every command on accounts, for `parseArgs`. */
export const accountFlags = {
  admin: { type: 'string' },
  token: { type: 'string' },
  'token-file': { type: 'string' },
  config: { type: 'string' },
  store: { type: 'string' },
  timeout: { type: 'string', default: '30' },
  json: { type: 'boolean', default: false },
} as const

export type AccountFlagValues = ValuesOf<typeof accountFlags>

/** The help text of {@link accountFlags}, but for `--json`. */
export const accountFlagsHelp = `A running gateway:
  --admin URL         its admin listener; default $WAYLEAVE_ADMIN_URL, else http://127.0.0.1:8546
  --token-file FILE   the admin token, in a file or on stdin (-); default $WAYLEAVE_ADMIN_TOKEN
  --token TOKEN       the same, but all users of this machine can see it
  --timeout SECONDS   default 30
Or its store, with or without the gateway:
  --config FILE       the configuration, whose store or dataDir is opened
  --store STORE       an SQLite file that exists, or a postgres:// URL`

/** The values of flags that have no default. */
export type FlagValues<F extends ParseArgsOptionsConfig> = {
  readonly [Name in keyof F]?: (F[Name]['type'] extends 'boolean' ? boolean : string) | undefined
}

/** Parses arguments; `--no-NAME` unsets a boolean flag. @throws UsageError for a number of positionals other than that of `names`; TypeError as `parseArgs` does */
export function readNamedArgs<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  names: readonly string[],
): Parsed<T> {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true })
  const least = names.filter((name) => !name.endsWith('?')).length
  const count = parsed.positionals.length
  if (count < least || count > names.length || parsed.positionals.includes('')) {
    const expected = names.map((name) => (name.endsWith('?') ? `[${name.slice(0, -1)}]` : name)).join(' ')
    const got = count === 0 ? '' : `, got ${count === 1 ? 'one argument' : `${count} arguments`}`
    throw new UsageError(expected === '' ? `expected no arguments${got}` : `expected ${expected}${got}`)
  }
  return parsed
}

/** Reads the JSON of a flag: its text, or `@FILE`. @throws UsageError */
export async function jsonFlag(flag: string, given: string | undefined): Promise<unknown> {
  if (given === undefined) return undefined
  const text = given.startsWith('@') ? await readText(flag, given.slice(1)) : given
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${flag}: expected JSON, or @FILE with JSON in it`)
  }
}

/** Reads a file. @throws UsageError that says why it cannot be read */
export async function readText(what: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : `not readable, ${code}`
    throw new UsageError(`${what}: expected a file that can be read, got "${path}" (${why})`)
  }
}
