import { styleText } from 'node:util'
import { type ConfigReport, type ConfigSummary, inspectConfig, printProblem } from '@wayleave/gateway'
import type { CommandIo } from '../command.ts'

/** Prints the problems of a file, or its sum. Resolves with the exit code, which is that of `check`. */
export async function checkFile(file: string, json: boolean, io: CommandIo): Promise<number> {
  const report = await inspectConfig(file, io.env)
  if (json) io.stdout(`${JSON.stringify(jsonOf(report))}\n`)
  else say(file, report, io)
  return report.problems.length > 0 ? 2 : 0
}

function jsonOf({ problems, warnings, summary }: ConfigReport): object {
  return { ok: problems.length === 0, problems, warnings, summary }
}

function say(file: string, { problems, warnings, summary }: ConfigReport, io: CommandIo): void {
  const { stderr } = io.process
  for (const problem of problems) io.stderr(`${printProblem(problem, file)}\n`)
  for (const warning of warnings)
    io.stderr(`${styleText('yellow', 'warning', { stream: stderr })}: ${printProblem(warning, file)}\n`)
  if (summary !== undefined) io.stdout(sumUp(file, summary))
  else io.stderr(`${file}: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}\n`)
}

function sumUp(file: string, { networks, defaultNetwork, listeners, ipfs, projects }: ConfigSummary): string {
  const width = Math.max(0, ...networks.map(({ name }) => name.length))
  const rows = networks.map(({ name, kind, chainId, reportsChain, upstreams, rollupNode }) => {
    const node = rollupNode === undefined ? '' : `, rollup node ${rollupNode}`
    const unnamed = reportsChain ? 'chain asked of its nodes at the start' : 'chain not checked'
    const mark = name === defaultNetwork ? ' (default)' : ''
    return `  ${name.padEnd(width)}  ${kind}, ${chainId === undefined ? unnamed : `chain ${chainId}`}: ${upstreams.join(', ')}${node}${mark}\n`
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
