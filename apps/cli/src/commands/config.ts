import { parseArgs, styleText } from 'node:util'
import {
  type Config,
  type ConfigReport,
  type ConfigSummary,
  inspectConfig,
  type NetworkTrial,
  printProblem,
  simulatePolicies,
} from '@wayleave/gateway'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'
import { hasFaults, printTrials } from './config-simulate.ts'

/** `wayleave config`: checks a configuration file without serving it. */
export const config: Command = {
  help: `Usage: wayleave config check FILE [--simulate] [--json]

Reads FILE (.ts, .js, .yaml or .json) as wayleave serve would; \${NAME} is read from the environment. Prints every problem
as FILE:LINE:COLUMN: MEMBER: what was expected, and what came; a right file is summed up. Nothing is started or called.

  --simulate  tries the policy of each network over simulated upstreams: who is asked, what fails, how long calls take, in some
              seconds; nothing is started or called
  --json      one line of JSON: {"ok":…,"problems":[…],"warnings":[…],"summary":…,"simulation":[…]}

Exit code 0: it can be served, warnings or not; 1: a policy loses calls that the default one serves, throws, or asks what must
not be asked; 2: it cannot be served, or is not there.
`,
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, simulate: { type: 'boolean', default: false } },
    })
    const [action, file, ...rest] = positionals
    if (action !== 'check') {
      const got = action === undefined ? '' : `, got "${action}"${suggest(action, ['check'])}`
      throw new UsageError(`expected check FILE${got}`)
    }
    if (file === undefined || rest.length > 0) throw new UsageError('expected one FILE, such as wayleave.config.yaml')
    const report = await inspectConfig(file, io.env)
    const simulation = values.simulate && report.config ? await simulate(report.config, values.json, io) : undefined
    if (values.json) io.stdout(`${JSON.stringify({ ...jsonOf(report), simulation })}\n`)
    else tell(file, report, io)
    if (report.problems.length > 0) return 2
    if (simulation === undefined) return 0
    if (!values.json) io.stdout(printTrials(simulation))
    return hasFaults(simulation) ? 1 : 0
  },
}

/** Tries policies, and tells a person who waits how far it is. */
function simulate(checked: Config, isQuiet: boolean, io: CommandIo): Promise<readonly NetworkTrial[]> {
  return simulatePolicies(checked, (network, scenario) => {
    if (!isQuiet) io.stderr(`simulating ${network}: ${scenario}\n`)
  })
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
