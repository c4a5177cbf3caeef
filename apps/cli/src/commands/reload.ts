import type { ConfigChange, ConfigDiff, ConfigProblem } from '@wayleave/gateway'
import { areTexts, askAdmin, cut, fail, whyNot } from '../accounts/ask-admin.ts'
import { accountFlags, readNamedArgs } from '../accounts/flags.ts'
import { gatewayPlace } from '../accounts/gateway-place.ts'
import type { Command, CommandIo } from '../command.ts'
import { changeLine } from '../output/change-line.ts'
import { visible } from '../output/visible.ts'

const { config: _config, store: _store, ...flags } = accountFlags

/** The answer to `POST /reload`, other than a refusal. */
type Report = ConfigDiff & { readonly applied: boolean; readonly problems: readonly ConfigProblem[] }

/** `wayleave reload`: has a running gateway read its configuration again. */
export const reload: Command = {
  help: `Usage: wayleave reload [flags]

Has a running gateway read its configuration file again, and serve it as a whole or not at all. Prints the differences, without a key, a
secret or a URL; wayleave config diff tells them beforehand. Without the admin listener, SIGHUP does the same.

  --admin URL         its admin listener; default $WAYLEAVE_ADMIN_URL, else http://127.0.0.1:8546
  --token-file FILE   an admin token of the scope all, in a file or on stdin (-); default $WAYLEAVE_ADMIN_TOKEN. A gateway without
                      tokens asks for none
  --token TOKEN       the same, but all users of this machine can see it
  --timeout SECONDS   default 30
  --json              one line: {"applied","problems","changes","networks","projects","needsRestart"}; an error as {"error":…}

Exit code: 0 it is served, 1 a change needs a restart or the gateway gave no report, 2 it cannot be served.
`,
  async run(args, io) {
    const { values } = readNamedArgs(args, flags, [])
    const answer = await askAdmin(await gatewayPlace(values, io), 'POST', '/reload')
    const { status } = answer
    const report = [200, 409, 422].includes(status) ? readReport(answer.body) : undefined
    if (report === undefined) {
      const why = whyNot(answer, 'a report', 'all', [0, 403, 404, 500, 503])
      return fail('reload', why, values.json, io)
    }
    if (values.json) io.stdout(visible(`${JSON.stringify(report)}\n`))
    else print(report, io)
    return report.applied ? 0 : status === 422 ? 2 : 1
  },
}

function readReport(body: string): Report | undefined {
  try {
    const report = JSON.parse(body) as Report
    const isReport =
      typeof report.applied === 'boolean' &&
      report.changes.every((it) => isChange(it)) &&
      report.needsRestart.every((it) => isChange(it)) &&
      report.problems.every((it) => isProblem(it))
    return isReport ? report : undefined
  } catch {
    return undefined
  }
}

function isChange({ path, kind, text }: ConfigChange): boolean {
  return areTexts(path, text) && ['added', 'changed', 'removed'].includes(kind)
}

function isProblem({ path, expected, got, hint = '', line, column }: ConfigProblem): boolean {
  const isPlace = [line, column].every((it) => it === undefined || Number.isInteger(it))
  return areTexts(path, expected, got, hint) && isPlace
}

function print({ applied, problems, changes, needsRestart }: Report, io: CommandIo): void {
  const late = new Set(needsRestart.map(({ path }) => path))
  for (const change of changes) {
    const shown = { ...change, text: cut(change.text) }
    io.stdout(`${changeLine(shown, late.has(change.path), io.process.stdout)}\n`)
  }
  if (applied) {
    const count = changes.length === 1 ? 'one change is' : `${changes.length} changes are`
    return io.stderr(changes.length === 0 ? 'the configuration is the same\n' : `${count} served\n`)
  }
  if (late.size > 0) return io.stderr(`nothing has changed: only a restart can take ${[...late].map(cut).join(', ')}\n`)
  for (const problem of problems) io.stderr(`${lineOf(problem)}\n`)
  io.stderr('nothing has changed: reload again once that is mended\n')
}

function lineOf({ path, line, column, expected, got, hint }: ConfigProblem): string {
  const place = line === undefined ? [] : [`line ${line}, column ${column}`]
  const words = `expected ${cut(expected)}, got ${cut(got)}${hint === undefined ? '' : `; ${cut(hint)}`}`
  return [...place, ...(path === '' ? [] : [cut(path)]), words].join(': ')
}
