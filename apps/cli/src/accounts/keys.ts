import type { AdminClient, CreatedKey, Key } from '@wayleave/admin-api'
import { UsageError } from '../command.ts'
import { accountCommand, allOf, removalCommand } from './account-command.ts'
import { keyFieldFlags, keyFieldHelp, keyPatchOf, newKeyOf } from './key-fields.ts'
import { overlapOf } from './moments.ts'
import { type Column, countOf, timeCell } from './print.ts'
import type { Subcommand } from './subcommands.ts'
import { switchFlags, textFlags } from '../read-args.ts'

const columnsAt = (now: number): readonly Column<Key>[] => [
  { title: 'project', cell: ({ projectId }) => projectId },
  { title: 'id', cell: ({ id }) => id },
  { title: 'hint', cell: ({ hint }) => (hint === '' ? '-' : `…${hint}`) },
  { title: 'label', cell: ({ label }) => label || '-' },
  { title: 'state', cell: (key) => stateOf(key, now) },
  { title: 'expires', cell: ({ expiresAt }) => timeCell(expiresAt) },
  { title: 'last used', cell: ({ lastUsedAt }) => timeCell(lastUsedAt) },
  { title: 'source', cell: ({ source }) => source },
]

function stateOf({ disabled, expiresAt }: Key, now: number): string {
  if (disabled) return 'disabled'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active'
}

export const list: Subcommand = accountCommand({
  name: 'keys list',
  args: ['PROJECT?'],
  summary: 'lists the keys of a project, or of all',
  about: `Lists keys by id, hint (their last characters) and label, never their text. Keys of the configuration have the source config.
A pipe gets these with tabs between: project, id, hint, label, state, expires, last used, source.`,
  json: 'a line of JSON for each key',
  async run({ client, args: [only], rows }) {
    const projects =
      only === undefined ? (await allOf((page) => client.projects.list(page))).map(({ id }) => id) : [only]
    const keys: Key[] = []
    for (const project of projects) {
      for (const key of await allOf((page) => client.keys.list(project, page))) keys.push(key)
    }
    const { systemClock } = await import('@wayleave/jsonrpc-core')
    rows(keys, columnsAt(systemClock.date()), keys.length === 0 ? 'no keys' : countOf(keys.length, 'key'))
  },
})

export const show: Subcommand = accountCommand({
  name: 'keys show',
  args: ['PROJECT', 'KEY'],
  summary: 'shows a key, without its text',
  about: 'KEY is its id, as wayleave keys list prints it.',
  run: async ({ client, args: [project, id], record }) => record(await client.keys.get(project, id)),
})

export const create: Subcommand = accountCommand({
  name: 'keys create',
  args: ['PROJECT'],
  summary: 'creates a key, and prints it this once',
  about: `Prints the key on stdout, and all else on stderr: KEY=$(wayleave keys create shop). Nothing prints it again.`,
  flags: {
    ...keyFieldFlags,
    id: { type: 'string' },
    ...switchFlags('hex', 'secret'),
  },
  flagsHelp: `${keyFieldHelp}
  --id ID             names it in lists and usage; default: random
  --hex               32 hex digits instead of wl_ with a checksum
  --secret            gives it a secret, too; then the lines are key and secret, each behind its name and a tab`,
  json: 'one line of JSON, in it "key" (and "secret")',
  async run({ client, args: [project], values, done }) {
    const { id, hex } = values
    const fields = {
      ...(await newKeyOf(values)),
      ...(id !== undefined && { id }),
      ...(hex && { form: 'hex' as const }),
    }
    const created = await client.keys.create(project, fields)
    const secret = values.secret ? await secretOfNew(client, created) : undefined
    done(
      { ...created, ...secret },
      `created key ${created.id} of project ${created.projectId}; nothing prints its text again`,
      secret === undefined ? `${created.key}\n` : `key\t${created.key}\nsecret\t${secret.secret}\n`,
    )
  },
})

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

export const rotate: Subcommand = accountCommand({
  name: 'keys rotate',
  args: ['PROJECT', 'KEY'],
  summary: 'creates a key in place of another, which expires',
  about:
    'Prints the new key on stdout, which has the label, limits and secrets of the old one. The old one serves on for the overlap.',
  flags: {
    id: { type: 'string' },
    hex: { type: 'boolean', default: false },
    ...textFlags('expires', 'overlap'),
  },
  flagsHelp: `  --overlap TIME      such as 15m, 24h or 7d, at most 30d; 0: the old key ends at once. Default 24h
  --id ID             names the new key; default: random
  --expires WHEN      when the new key ends; default: never
  --hex               32 hex digits instead of wl_ with a checksum`,
  json: 'one line of JSON: {"created":{…,"key":…},"old":{…}}',
  read: ({ overlap }) => overlapOf(overlap),
  async run({ client, args: [project, key], values: { expires, id, hex }, given, done }) {
    const { expiresAt } = await newKeyOf({ expires })
    const rotated = await client.keys.rotate(project, key, {
      ...given,
      ...(id !== undefined && { id }),
      ...(hex && { form: 'hex' as const }),
      ...(expiresAt !== undefined && { expiresAt }),
    })
    const { created, old } = rotated
    const end = `key ${old.id} ends ${timeCell(old.expiresAt)}`
    done(rotated, `created key ${created.id}, nothing prints its text again; ${end}`, `${created.key}\n`)
  },
})

export const update: Subcommand = accountCommand({
  name: 'keys update',
  args: ['PROJECT', 'KEY'],
  summary: 'changes label, expiry, plan or limits',
  about: 'Changes what is named, and leaves the rest. --expires never, --plan none and --limits none take it away.',
  flags: keyFieldFlags,
  flagsHelp: keyFieldHelp,
  async read(values) {
    const patch = await keyPatchOf(values)
    if (Object.keys(patch).length > 0) return patch
    throw new UsageError('expected --label, --expires, --plan or --limits')
  },
  run: async ({ client, args: [project, key], given, record }) => record(await client.keys.update(project, key, given)),
})

function switching(name: string, disabled: boolean, summary: string, about: string): Subcommand {
  return accountCommand({
    name: `keys ${name}`,
    args: ['PROJECT', 'KEY'],
    summary,
    about,
    async run({ client, args: [project, key], done }) {
      const changed = await client.keys.update(project, key, { disabled })
      done(changed, `${name}d key ${key} of project ${project}`)
    },
  })
}

export const enable: Subcommand = switching(
  'enable',
  false,
  'lets a disabled key in again',
  'Takes wayleave keys disable back.',
)
export const disable: Subcommand = switching(
  'disable',
  true,
  'keeps a key out until it is enabled',
  'A disabled key is unknown to callers, in every process within a second. wayleave keys enable takes it back.',
)

export const revoke: Subcommand = removalCommand({
  name: 'keys revoke',
  args: ['PROJECT', 'KEY'],
  summary: 'removes a key for good',
  about: 'The key is unknown from then on, in every process within a second.',
  json: '{"revoked":KEY,"project":PROJECT}',
  async question(client, [project, id]) {
    const { hint, label } = await client.keys.get(project, id)
    const marks = [label, hint === '' ? '' : `…${hint}`].filter(Boolean).join(', ')
    return `Revoke key ${id}${marks === '' ? '' : ` (${marks})`} of project ${project} for good?`
  },
  remove: (client, [project, id]) => client.keys.revoke(project, id),
  result: ([project, id]) => ({ revoked: id, project }),
  note: ([project, id]) => `revoked key ${id} of project ${project}`,
})
