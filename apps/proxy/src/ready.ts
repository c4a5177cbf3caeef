import type { RunningGateway } from '@wayleave/gateway'

/** Prints the ready line for a program; `further` members are appended. */
export function readyLine(gateway: RunningGateway, further: Readonly<Record<string, unknown>> = {}): string {
  const { rpc, ws, gas, ipfs, admin, networks } = gateway
  return `${JSON.stringify({ event: 'ready', rpc, ws, gas, ipfs, admin, networks, ...further })}\n`
}

/** Prints the ready text for a person, with the URL of each network. */
export function readyText(gateway: RunningGateway, configFile: string): string {
  const rows = Object.entries(gateway.networks).map(([name, chainId]) => [
    name,
    `chain ${chainId}`,
    `${gateway.rpc}/${name}/v3/<key>`,
  ])
  if (gateway.ipfs !== undefined) rows.push(['ipfs', '', `${gateway.ipfs}/api/v0`])
  rows.push(['metrics', '', `${gateway.admin}/metrics`])
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]!.length))
  const lines = rows.map(([name, chain, url]) => `  ${name!.padEnd(width(0))}  ${chain!.padEnd(width(1))}  ${url}\n`)
  const apart = gateway.perProcess.length === 0 ? '' : `\neach process has its own: ${gateway.perProcess.join(', ')}\n`
  return `wayleave serves ${configFile}\n\n${lines.join('')}${apart}`
}
