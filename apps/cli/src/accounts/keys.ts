import { type AdminClient, allPages, type CreatedKey, type Key } from '@wayleave/admin-api'
import { systemClock } from '@wayleave/jsonrpc-core'
import { type CommandIo, UsageError } from '../command.ts'
import { accountFlags, accountFlagsHelp, readArgs } from './flags.ts'
import { keyFieldFlags, keyFieldHelp, keyPatchOf, newKeyOf } from './key-fields.ts'
import { durationFlag } from './moments.ts'
import { type Column, countOf, printRecord, printRows, timeCell } from './print.ts'
import { AccountsError, runAccounts } from './run-accounts.ts'
import { confirm } from './stdin.ts'
import type { Subcommand } from './subcommands.ts'

const columns: readonly Column<Key>[] = [
  { title: 'project', cell: ({ projectId }) => projectId },
  { title: 'id', cell: ({ id }) => id },
  { title: 'hint', cell: ({ hint }) => (hint === '' ? '-' : `…${hint}`) },
  { title: 'label', cell: ({ label }) => label || '-' },
  { title: 'state', cell: stateOf },
  { title: 'expires', cell: ({ expiresAt }) => timeCell(expiresAt) },
  { title: 'last used', cell: ({ lastUsedAt }) => timeCell(lastUsedAt) },
  { title: 'source', cell: ({ source }) => source },
]

function stateOf({ disabled, expiresAt }: Key): string {
  if (disabled) return 'disabled'
  return expiresAt !== undefined && expiresAt <= systemClock.date() ? 'expired' : 'active'
}

const jsonHelp = '  --json              one line of JSON; an error as {"error":…}'

/** `keys list`. */
export const list: Subcommand = {
  usage: '[PROJECT] [flags]',
  summary: 'lists the keys of a project, or of all',
  help: `Lists keys by id, hint (their last characters) and label, never their text. Keys of the configuration have the source config.
A pipe gets these with tabs between: project, id, hint, label, state, expires, last used, source.

  --json              a line of JSON for each key; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values, positionals } = readArgs(args, accountFlags, ['PROJECT?'])
    return runAccounts({ name: 'keys list', io, flags: values }, async (client) => {
      const keys: Key[] = []
      for (const project of await projectIds(client, positionals[0])) {
        for await (const key of allPages((page) => client.keys.list(project, page))) keys.push(key)
      }
      if (values.json) io.stdout(keys.map((key) => `${JSON.stringify(key)}\n`).join(''))
      else printRows(keys, columns, keys.length === 0 ? 'no keys' : countOf(keys.length, 'key'), io)
    })
  },
}

async function projectIds(client: AdminClient, project: string | undefined): Promise<readonly string[]> {
  if (project !== undefined) return [project]
  const ids: string[] = []
  for await (const { id } of allPages((page) => client.projects.list(page))) ids.push(id)
  return ids
}

/** `keys show`. */
export const show: Subcommand = {
  usage: 'PROJECT KEY [flags]',
  summary: 'shows a key, without its text',
  help: `KEY is its id, as wayleave keys list prints it.

${jsonHelp}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values, positionals } = readArgs(args, accountFlags, ['PROJECT', 'KEY'])
    const [project, id] = positionals as [string, string]
    return runAccounts({ name: 'keys show', io, flags: values }, async (client) =>
      printRecord(await client.keys.get(project, id), values.json, io),
    )
  },
}

const createFlags = {
  ...accountFlags,
  ...keyFieldFlags,
  id: { type: 'string' },
  hex: { type: 'boolean', default: false },
  secret: { type: 'boolean', default: false },
} as const

/** `keys create`. */
export const create: Subcommand = {
  usage: 'PROJECT [flags]',
  summary: 'creates a key, and prints it this once',
  help: `Prints the key on stdout, and all else on stderr: KEY=$(wayleave keys create shop). Nothing prints it again.

${keyFieldHelp}
  --id ID             names it in lists and usage; default: random
  --hex               32 hex digits instead of wl_ with a checksum
  --secret            gives it a secret, too; then the lines are key and secret, each behind its name and a tab
  --json              one line of JSON, in it "key" (and "secret"); an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values, positionals } = readArgs(args, createFlags, ['PROJECT'])
    return runAccounts({ name: 'keys create', io, flags: values }, async (client) => {
      const { id, hex, json } = values
      const fields = {
        ...(await newKeyOf(values)),
        ...(id !== undefined && { id }),
        ...(hex && { form: 'hex' as const }),
      }
      const created = await client.keys.create(positionals[0]!, fields)
      const secret = values.secret ? await secretOfNew(client, created) : undefined
      if (json) io.stdout(`${JSON.stringify({ ...created, ...secret })}\n`)
      else {
        io.stdout(secret === undefined ? `${created.key}\n` : `key\t${created.key}\nsecret\t${secret.secret}\n`)
        io.stderr(`created key ${created.id} of project ${created.projectId}; nothing prints its text again\n`)
      }
    })
  },
}

/** Creates the secret of a new key, which is taken back if that fails: nobody was told its text. */
async function secretOfNew(client: AdminClient, { projectId, id }: CreatedKey) {
  try {
    const { secret, ...record } = await client.secrets.create(projectId, id)
    return { secret, secrets: [record] }
  } catch (thrown) {
    await client.keys.revoke(projectId, id).catch(() => {})
    throw thrown
  }
}

const rotateFlags = {
  ...accountFlags,
  id: { type: 'string' },
  hex: { type: 'boolean', default: false },
  expires: { type: 'string' },
  overlap: { type: 'string' },
} as const

/** `keys rotate`. */
export const rotate: Subcommand = {
  usage: 'PROJECT KEY [flags]',
  summary: 'creates a key in place of another, which expires',
  help: `Prints the new key on stdout, which has the label, limits and secrets of the old one. The old one serves on for the overlap.

  --overlap TIME      such as 15m, 24h or 7d, at most 30d; 0: the old key ends at once. Default 24h
  --id ID             names the new key; default: random
  --expires WHEN      when the new key ends; default: never
  --hex               32 hex digits instead of wl_ with a checksum
  --json              one line of JSON: {"created":{…,"key":…},"old":{…}}; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values, positionals } = readArgs(args, rotateFlags, ['PROJECT', 'KEY'])
    const [project, key] = positionals as [string, string]
    const { overlap, expires, id, hex, json } = values
    const overlapMs = overlap === undefined ? undefined : durationFlag('--overlap', overlap)
    return runAccounts({ name: 'keys rotate', io, flags: values }, async (client) => {
      const { expiresAt } = await newKeyOf({ expires })
      const rotated = await client.keys.rotate(project, key, {
        ...(overlapMs !== undefined && { overlapSeconds: overlapMs / 1_000 }),
        ...(id !== undefined && { id }),
        ...(hex && { form: 'hex' as const }),
        ...(expiresAt !== undefined && { expiresAt }),
      })
      if (json) return io.stdout(`${JSON.stringify(rotated)}\n`)
      const { created, old } = rotated
      io.stdout(`${created.key}\n`)
      io.stderr(
        `created key ${created.id}, nothing prints its text again; key ${old.id} ends ${timeCell(old.expiresAt)}\n`,
      )
    })
  },
}

/** `keys update`. */
export const update: Subcommand = {
  usage: 'PROJECT KEY [flags]',
  summary: 'changes label, expiry, plan or limits',
  help: `Changes what is named, and leaves the rest. --expires never, --plan none and --limits none take it away.

${keyFieldHelp}
${jsonHelp}
${accountFlagsHelp}
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, { ...accountFlags, ...keyFieldFlags }, ['PROJECT', 'KEY'])
    const [project, key] = positionals as [string, string]
    const patch = await keyPatchOf(values)
    if (Object.keys(patch).length === 0) throw new UsageError('expected --label, --expires, --plan or --limits')
    return runAccounts({ name: 'keys update', io, flags: values }, async (client) =>
      printRecord(await client.keys.update(project, key, patch), values.json, io),
    )
  },
}

/** `keys enable` and `keys disable`. */
function switching(name: string, disabled: boolean, summary: string): Subcommand {
  return {
    usage: 'PROJECT KEY [flags]',
    summary,
    help: `${disabled ? 'A disabled key is unknown to callers, in every process within a second. wayleave keys enable takes it back.' : 'Takes wayleave keys disable back.'}

${jsonHelp}
${accountFlagsHelp}
`,
    run(args, io) {
      const { values, positionals } = readArgs(args, accountFlags, ['PROJECT', 'KEY'])
      const [project, key] = positionals as [string, string]
      return runAccounts({ name: `keys ${name}`, io, flags: values }, async (client) => {
        const changed = await client.keys.update(project, key, { disabled })
        if (values.json) io.stdout(`${JSON.stringify(changed)}\n`)
        else io.stderr(`${name}d key ${key} of project ${project}\n`)
      })
    },
  }
}

export const enable: Subcommand = switching('enable', false, 'lets a disabled key in again')
export const disable: Subcommand = switching('disable', true, 'keeps a key out until it is enabled')

/** `keys revoke`. */
export const revoke: Subcommand = {
  usage: 'PROJECT KEY [--yes] [flags]',
  summary: 'removes a key for good',
  help: `The key is unknown from then on, in every process within a second. A terminal asks first; elsewhere --yes is required.

  --yes               does not ask
  --json              {"revoked":KEY,"project":PROJECT}; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const flags = { ...accountFlags, yes: { type: 'boolean', default: false } } as const
    const { values, positionals } = readArgs(args, flags, ['PROJECT', 'KEY'])
    const [project, id] = positionals as [string, string]
    return runAccounts({ name: 'keys revoke', io, flags: values }, async (client) => {
      await confirmRemoval(values.yes, io, async () => {
        const { hint, label } = await client.keys.get(project, id)
        const marks = [label, hint === '' ? '' : `…${hint}`].filter(Boolean).join(', ')
        return `Revoke key ${id}${marks === '' ? '' : ` (${marks})`} of project ${project} for good?`
      })
      await client.keys.revoke(project, id)
      if (values.json) io.stdout(`${JSON.stringify({ revoked: id, project })}\n`)
      else io.stderr(`revoked key ${id} of project ${project}\n`)
    })
  },
}

/** Asks before something is removed, unless `yes`. @throws AccountsError where the answer is no, UsageError where nobody can be asked */
export async function confirmRemoval(yes: boolean, io: CommandIo, question: () => Promise<string>): Promise<void> {
  if (!yes && !(await confirm(await question(), io))) throw new AccountsError('stopped', 'nothing was changed')
}
