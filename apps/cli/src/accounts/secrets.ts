import { accountFlags, accountFlagsHelp, readArgs } from './flags.ts'
import { confirmRemoval } from './keys.ts'
import { newKeyOf } from './key-fields.ts'
import { durationFlag } from './moments.ts'
import { runAccounts } from './run-accounts.ts'
import type { Subcommand } from './subcommands.ts'

const flagsOfNew = {
  ...accountFlags,
  label: { type: 'string' },
  expires: { type: 'string' },
  overlap: { type: 'string' },
} as const

/** `keys add-secret`. */
export const addSecret: Subcommand = {
  usage: 'PROJECT KEY [flags]',
  summary: 'gives a key a secret, and prints it this once',
  help: `Prints the secret on stdout. A key has at most two that are live: add one, change the callers, let the other one end.

  --overlap TIME      the other secrets end after it, such as 24h; 0: at once. Default: they stay
  --label TEXT        a person's name for it
  --expires WHEN      wrong from then on: 30d, 2027-01-31 or 2027-01-31T12:00:00Z
  --json              one line of JSON, in it "secret"; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values, positionals } = readArgs(args, flagsOfNew, ['PROJECT', 'KEY'])
    const [project, key] = positionals as [string, string]
    const { overlap } = values
    const overlapSeconds = overlap === undefined ? undefined : durationFlag('--overlap', overlap) / 1_000
    return runAccounts({ name: 'keys add-secret', io, flags: values }, async (client) => {
      const fields = await newKeyOf({ label: values.label, expires: values.expires })
      const made = await client.secrets.create(project, key, {
        ...fields,
        ...(overlapSeconds !== undefined && { overlapSeconds }),
      })
      if (values.json) return io.stdout(`${JSON.stringify(made)}\n`)
      io.stdout(`${made.secret}\n`)
      io.stderr(`created secret ${made.id} of key ${key}; nothing prints its text again\n`)
    })
  },
}

/** `keys remove-secret`. */
export const removeSecret: Subcommand = {
  usage: 'PROJECT KEY SECRET [--yes] [flags]',
  summary: 'removes a secret of a key',
  help: `SECRET is its id, as wayleave keys show prints it. A terminal asks first; elsewhere --yes is required.

  --yes               does not ask
  --json              {"removed":SECRET,"key":KEY,"project":PROJECT}; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const flags = { ...accountFlags, yes: { type: 'boolean', default: false } } as const
    const { values, positionals } = readArgs(args, flags, ['PROJECT', 'KEY', 'SECRET'])
    const [project, key, secret] = positionals as [string, string, string]
    return runAccounts({ name: 'keys remove-secret', io, flags: values }, async (client) => {
      await confirmRemoval(values.yes, io, async () => `Remove secret ${secret} of key ${key}?`)
      await client.secrets.remove(project, key, secret)
      if (values.json) io.stdout(`${JSON.stringify({ removed: secret, key, project })}\n`)
      else io.stderr(`removed secret ${secret} of key ${key}\n`)
    })
  },
}
