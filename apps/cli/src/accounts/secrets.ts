import { accountCommand, removalCommand } from './account-command.ts'
import { newKeyOf } from './key-fields.ts'
import { overlapOf } from './moments.ts'
import type { Subcommand } from './subcommands.ts'

export const addSecret: Subcommand = accountCommand({
  name: 'keys add-secret',
  args: ['PROJECT', 'KEY'],
  summary: 'gives a key a secret, and prints it this once',
  about:
    'Prints the secret on stdout. A key has at most two that are live: add one, change the callers, let the other one end.',
  flags: { label: { type: 'string' }, expires: { type: 'string' }, overlap: { type: 'string' } },
  flagsHelp: `  --overlap TIME      the other secrets end after it, such as 24h; 0: at once. Default: they stay
  --label TEXT        a person's name for it
  --expires WHEN      wrong from then on: 30d, 2027-01-31 or 2027-01-31T12:00:00Z`,
  json: 'one line of JSON, in it "secret"',
  read: ({ overlap }) => overlapOf(overlap),
  async run({ client, args: [project, key], values: { label, expires }, given, done }) {
    const made = await client.secrets.create(project, key, { ...(await newKeyOf({ label, expires })), ...given })
    done(made, `created secret ${made.id} of key ${key}; nothing prints its text again`, `${made.secret}\n`)
  },
})

export const removeSecret: Subcommand = removalCommand({
  name: 'keys remove-secret',
  args: ['PROJECT', 'KEY', 'SECRET'],
  summary: 'removes a secret of a key',
  about: 'SECRET is its id, as wayleave keys show prints it.',
  json: '{"removed":SECRET,"key":KEY,"project":PROJECT}',
  question: (_, [, key, secret]) => `Remove secret ${secret} of key ${key}?`,
  remove: (client, [project, key, secret]) => client.secrets.remove(project, key, secret),
  result: ([project, key, secret]) => ({ removed: secret, key, project }),
  note: ([, key, secret]) => `removed secret ${secret} of key ${key}`,
})
