import { dirname, resolve } from 'node:path'
import type { DesiredState, StateChange } from '@wayleave/admin-api'
import { type AdminClient, AdminError, type AdminIssue } from '@wayleave/admin-api/client'
import type { Source } from '@wayleave/gateway'
import { planLine, sumUpPlan } from '../accounts/plan-line.ts'
import { accountFlags, accountFlagsHelp, readNamedArgs } from '../accounts/flags.ts'
import { confirmRemoval } from '../accounts/account-command.ts'
import { AccountsError, runAccounts } from '../accounts/run-accounts.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { switchFlags } from '../read-args.ts'

const flags = {
  ...accountFlags,
  ...switchFlags('dry-run', 'yes'),
} as const

/** `wayleave apply`: makes the store equal to a file. */
export const apply: Command = {
  help: `Usage: wayleave apply FILE [--dry-run] [flags]

Makes plans, projects and keys of the store equal to those of FILE (.yaml, .json, .ts or .js; \${NAME} is read from the environment, \${file:PATH}
from a file beside it), and prints the changes: + made, ~ changed, - removed. The second run changes nothing. What the configuration has stays as it is.

  plans:
    - { id: free, limits: { perDay: { credits: 100000 } } }
  projects:
    - id: shop
      plan: free
      rules: { methods: [eth_call] }
      keys: [{ id: web, keyHash: 'sha256:…', label: web }]

Both lists are required, and complete: plans and projects that are missing are removed, and so are keys of a project with keys. Keys of
one without keys are left alone, and secrets always. A member that is absent has its default.

A FILE with anything wrong changes nothing. If a change fails, those before it stay, the rest is listed, and the next run makes it.

  --dry-run           only prints the changes
  --yes               does not ask before something is removed; required outside of a terminal
  --json              one line of JSON: {"dryRun","changes":[{"action","kind","id","project"?,"members"?}]}; an error as {"error":…}
${accountFlagsHelp}
`,
  async run(args, io) {
    const { values, positionals } = readNamedArgs(args, flags, ['FILE'])
    const { file, state, placeOf } = await readState(positionals[0]!, io)
    const setting = { name: 'apply', io, flags: values, placeOf }
    return runAccounts(setting, async (client) => {
      const { changes } = await client.apply({ ...state, dryRun: true })
      const isDry = values['dry-run']
      if (!values.json) io.stdout(changes.map((change) => `${planLine(change, io.process.stdout)}\n`).join(''))
      if (!isDry && changes.length > 0) {
        const removals = changes.filter(({ action }) => action === 'remove').length
        const question = async (): Promise<string> => `${sumUpPlan(changes)}. Make them?`
        await confirmRemoval(values.yes || removals === 0, io, question)
        await make(client, state, changes)
      }
      if (values.json) io.stdout(`${JSON.stringify({ dryRun: isDry, changes })}\n`)
      else
        io.stderr(
          changes.length === 0
            ? `the store is as in ${file}\n`
            : `${sumUpPlan(changes)}${isDry ? '; --dry-run made none' : ''}\n`,
        )
    })
  },
}

/** Makes the changes. @throws AccountsError that tells which are left, if one of them failed */
async function make(client: AdminClient, state: DesiredState, planned: readonly StateChange[]): Promise<void> {
  try {
    await client.apply({ ...state, dryRun: false })
  } catch (thrown) {
    // Wrong values and wrong tokens are refused before the first change.
    if (!(thrown instanceof AdminError) || /^(?:invalid|unauthorized|forbidden)/.test(thrown.code)) throw thrown
    const left = await client.apply({ ...state, dryRun: true }).catch(() => undefined)
    const issues = thrown.issues.map(({ message }) => `\n  ${message}`).join('')
    if (left === undefined) {
      throw new AccountsError(
        'unfinished',
        `${thrown.message}${issues}\nup to ${planned.length} changes were made; run it again to make the rest`,
      )
    }
    const done = Math.max(0, planned.length - left.changes.length)
    throw new AccountsError(
      'unfinished',
      `${thrown.message}${issues}\n${done} of ${planned.length} changes were made; mend the cause and run it again, which makes the rest:\n${left.changes.map((change) => `  ${planLine(change)}`).join('\n')}`,
    )
  }
}

interface ReadState {
  readonly file: string
  readonly state: DesiredState
  readonly placeOf: (issue: AdminIssue) => string
}

/** Reads the file. @throws UsageError */
async function readState(file: string, { env }: CommandIo): Promise<ReadState> {
  const [{ interpolate, printProblem, problemOf, readSecretFiles, readSource }, { printPath }] = await Promise.all([
    import('@wayleave/gateway'),
    import('@wayleave/jsonrpc-core/schema'),
  ])
  const source = await readSource(file)
  if (!('placeOf' in source)) throw new UsageError(printProblem(problemOf(source), file))
  const { texts } = await readSecretFiles(source.value, dirname(resolve(file)))
  const { value, issues } = interpolate(source.value, env, texts)
  const wrong = issues.map(
    ({ path, expected, received }) =>
      `${placeIn(source, file, path)}: ${printPath(path)}: expected ${expected}, got ${received}`,
  )
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${file}: expected { plans, projects }`)
  }
  if ('dryRun' in value) throw new UsageError(`${file}: expected no member dryRun, but the flag --dry-run`)
  const placeOf = ({ path }: AdminIssue): string => {
    const place = placeIn(source, file, pathOf(path))
    return path === '' ? place : `${place}: ${path}`
  }
  return { file, state: value as unknown as DesiredState, placeOf }
}

function placeIn({ placeOf }: Source, file: string, path: readonly (string | number)[]): string {
  const place = placeOf(path)
  return place === undefined ? file : `${file}:${place.line}:${place.column}`
}

/** Reads a path as people write it: `projects[0].rules.methods[1]`. */
function pathOf(text: string): readonly (string | number)[] {
  return (text.match(/\[\d+\]|\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g) ?? []).map((part) => {
    if (!part.startsWith('[')) return part
    return part.startsWith('["') ? (JSON.parse(part.slice(1, -1)) as string) : Number(part.slice(1, -1))
  })
}
