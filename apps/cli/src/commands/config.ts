import { parseArgs, styleText } from 'node:util'
import { type ConfigReport, type ConfigSummary, inspectConfig, printProblem } from '@wayleave/gateway'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'

/** `wayleave config`: checks a configuration file without serving it. */
export const config: Command = {
  help: `Usage: wayleave config check FILE [--json]

Reads FILE (.ts, .js, .yaml or .json) as wayleave serve would; \${NAME} is read from the environment. Prints every problem
as FILE:LINE:COLUMN: MEMBER: what was expected, and what came; a right file is summed up. Nothing is started or called.

  --json    one line of JSON: {"ok":…,"problems":[…],"warnings":[…],"summary":…}

Exit code 0: it can be served, warnings or not; 2: it cannot, or is not there.
`,
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    })
    const [action, file, ...rest] = positionals
    if (action !== 'check') {
      const got = action === undefined ? '' : `, got "${action}"${suggest(action, ['check'])}`
      throw new UsageError(`expected check FILE${got}`)
    }
    if (file === undefined || rest.length > 0) throw new UsageError('expected one FILE, such as wayleave.config.yaml')
    const report = await inspectConfig(file, io.env)
    const ok = report.problems.length === 0
    if (values.json) io.stdout(`${JSON.stringify(jsonOf(report))}\n`)
    else tell(file, report, io)
    return ok ? 0 : 2
  },
}

function jsonOf({ problems, warnings, summary }: ConfigReport): object {
  return { ok: problems.length === 0, problems, warnings, summary }
}

function tell(file: string, { problems, warnings, summary }: ConfigReport, io: CommandIo): void {
  const { stderr } = io.process
  for (const problem of problems) io.stderr(`${printProblem(problem, file)}\n`)
  for (const warning of warnings)
    io.stderr(`${styleText('yellow', 'warning', { stream: stderr })}: ${printProblem(warning, file)}\n`)
  if (summary !== undefined) io.stdout(sumUp(file, summary))
  else io.stderr(`${file}: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}\n`)
}

function sumUp(file: string, { networks, defaultNetwork, listeners, ipfs, projects }: ConfigSummary): string {
  const width = Math.max(0, ...networks.map(({ name }) => name.length))
  const rows = networks.map(({ name, kind, chainId, upstreams, rollupNode }) => {
    const node = rollupNode === undefined ? '' : `, rollup node ${rollupNode}`
    const mark = name === defaultNetwork ? ' (default)' : ''
    return `  ${name.padEnd(width)}  ${kind}, chain ${chainId}: ${upstreams.join(', ')}${node}${mark}\n`
  })
  const keys = projects.map(({ name, keys: count }) => `${name} (${count === 1 ? 'one key' : `${count} keys`})`)
  const s = listeners.tls ? 's' : ''
  return `${file} can be served

${rows.join('')}
  JSON-RPC  http${s}://${listeners.rpc}
${listeners.ipfs === undefined ? '' : `  IPFS      http${s}://${listeners.ipfs}: ${ipfs}\n`}  metrics   http://${listeners.admin}
  projects  ${keys.length === 0 ? 'none: no call is let in, unless the store has keys' : keys.join(', ')}
`
}
