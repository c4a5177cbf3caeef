import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { BackupError } from './backup-error.ts'

/** The command that dumps a database to a file, and the password that it asks for. The command has no password. */
export function pgDumpOf(url: string, file: string): { readonly args: readonly string[]; readonly password: string } {
  const { bare, password } = withoutPassword(url)
  return { args: ['pg_dump', '--format=custom', '--no-owner', `--file=${file}`, `--dbname=${bare}`], password }
}

/** The command that puts a dump back. */
export function pgRestoreOf(url: string, file: string): readonly string[] {
  const { bare } = withoutPassword(url)
  return ['pg_restore', '--clean', '--if-exists', '--no-owner', '--single-transaction', `--dbname=${bare}`, file]
}

/** Prints a command for a shell. */
export function shellText(args: readonly string[]): string {
  return args
    .map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')
}

/** Runs `pg_dump`. @throws BackupError, with its words but without the password */
export async function runPgDump(
  url: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const { args, password } = pgDumpOf(url, file)
  const [program, ...rest] = args
  const child = spawn(program!, rest, {
    env: { ...env, ...(password !== '' && { PGPASSWORD: password }) },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 2_000) said += text
  })
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (code === 0) return
  } catch (thrown) {
    signal.throwIfAborted()
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    throw new BackupError('pg_dump is not here: install the client of PostgreSQL (postgresql-client)')
  }
  const words = password === '' ? said : said.replaceAll(password, '***')
  throw new BackupError(`pg_dump failed: ${words.trim()}`)
}

function withoutPassword(url: string): { readonly bare: string; readonly password: string } {
  const parsed = new URL(url)
  const password = decodeURIComponent(parsed.password)
  parsed.password = ''
  parsed.searchParams.delete('password')
  return { bare: parsed.href, password }
}
