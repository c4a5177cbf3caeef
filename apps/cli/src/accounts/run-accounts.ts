import { type AdminClient, AdminError, type AdminIssue } from '@wayleave/admin-api/client'
import { type CommandIo, UsageError } from '../command.ts'
import { visible } from '../output/visible.ts'
import type { AccountFlagValues } from './flags.ts'
import { openAccounts } from './open-accounts.ts'

/** The calling command, and how its errors are printed. */
interface AccountsSetting {
  /** The command, such as `keys create`. */
  readonly name: string
  readonly io: CommandIo
  readonly flags: AccountFlagValues
  /** Names the place of an issue in the user's file, such as `keys.txt:3`. Default: its path. */
  readonly placeOf?: (issue: AdminIssue) => string
}

/**
 * Opens the accounts that the flags name, runs a command on them and closes them. Reports a failure and resolves with the exit code: 1,
 * or 2 where the values that were given are wrong. Rejects with a UsageError, or for a bug.
 */
export async function runAccounts(
  setting: AccountsSetting,
  run: (client: AdminClient) => Promise<void>,
): Promise<number> {
  try {
    const accounts = await openAccounts(setting.flags, setting.io)
    try {
      await run(accounts.client)
      return 0
    } finally {
      await accounts.close()
    }
  } catch (thrown) {
    return report(thrown, setting)
  }
}

/** A failure that is no fault of the API: the command was given up, or ended half way. */
export class AccountsError extends Error {
  override readonly name: string = 'AccountsError'
  readonly code: 'stopped' | 'unfinished'

  constructor(code: AccountsError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Prints an error. @throws the error, if it means wrong use or a bug */
function report(thrown: unknown, { name, io, flags, placeOf }: AccountsSetting): number {
  const failure = failureOf(thrown)
  if (failure === undefined) throw thrown
  const { code, message, issues } = failure
  if (flags.json) io.stdout(`${JSON.stringify({ error: { code, message, ...(issues.length > 0 && { issues }) } })}\n`)
  else {
    const lines = issues.map((issue) =>
      [placeOf?.(issue) ?? issue.path, `${issue.message}${hintOfStore(issue, flags)}`]
        .filter((part) => part !== '')
        .join(': '),
    )
    // All is looked at before the first change.
    const head = placeOf !== undefined && lines.length > 0 ? 'nothing was changed' : message
    const text = placeOf === undefined && lines.length === 1 ? lines[0] : [head, ...lines].join('\n  ')
    io.stderr(visible(`wayleave ${name}: ${text}\n`))
  }
  return wrongValues.has(code) ? 2 : 1
}

/** Says where the plans of a configuration are known, for a plan that a store alone does not have. */
function hintOfStore({ path, message }: AdminIssue, { store }: AccountFlagValues): string {
  const isMissing = store !== undefined && /(?:^|\.)plan$/.test(path) && message.startsWith('there is no plan')
  return isMissing ? '; --config FILE in place of --store knows those of a configuration, too' : ''
}

const wrongValues = new Set(['invalid', 'invalid_json', 'too_large', 'config'])

interface Failure {
  readonly code: string
  readonly message: string
  readonly issues: readonly AdminIssue[]
}

/** Tells an error that has words for its user, with what to do about it; undefined for wrong use and for a bug. */
export function failureOf(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Error) || thrown instanceof UsageError) return undefined
  const { message } = thrown
  if (thrown instanceof AdminError) {
    const hint = hintOf(thrown)
    const reported = hint === undefined ? message : `${message}${message.endsWith('?') ? '' : ';'} ${hint}`
    return { code: thrown.code, message: reported, issues: thrown.issues }
  }
  if (thrown instanceof AccountsError) return { code: thrown.code, message, issues: [] }
  if (thrown.name === 'ConfigError') return { code: 'config', message, issues: [] }
  if (thrown.name === 'StoresError') return { code: (thrown as unknown as { code: string }).code, message, issues: [] }
  const { syscall, code = '' } = thrown as NodeJS.ErrnoException
  return syscall === undefined ? undefined : { code, message, issues: [] }
}

/** Says what to do about an error; undefined where its message does. */
function hintOf({ code, message }: AdminError): string | undefined {
  switch (code) {
    case 'unauthorized':
      if (message.includes('expired')) return undefined
      return 'the token is that of $WAYLEAVE_ADMIN_TOKEN, --token-file or --token, and the configuration has it in admin.token or admin.tokens'
    case 'forbidden':
      return 'the configuration gives scopes in admin.tokens'
    case 'unreachable':
      return '--admin URL names that of a running gateway, and --config FILE opens its store without one'
    case 'unreadable':
      return 'a gateway serves the admin API on listen.admin, if it has a store or dataDir, and admin.token or admin.tokens'
    case 'not_found':
      if (/ key "/.test(message)) return 'wayleave keys list shows all'
      if (/ plan "/.test(message)) return 'wayleave plans list shows all'
      return / project "/.test(message) ? 'wayleave projects list shows all' : undefined
    default:
      return undefined
  }
}
