import { join } from 'node:path'
import type { RunningGateway } from '@wayleave/gateway'

/** Prints the ready line for a program; `further` members are appended. */
export function readyLine(gateway: RunningGateway, further: Readonly<Record<string, unknown>> = {}): string {
  const { rpc, ws, gas, ipfs, admin, console: page, networks } = gateway
  return `${JSON.stringify({ event: 'ready', rpc, ws, gas, ipfs, admin, console: page, networks, ...further })}\n`
}

/** Prints the ready text for a person, with the URL of each network, and the chains that nodes told. `dataDir`: where these are kept. */
export function readyText(gateway: RunningGateway, configFile: string, dataDir: string | undefined): string {
  const rows = Object.entries(gateway.networks).map(([name, chainId]) => [
    name,
    `chain ${chainId}`,
    `${gateway.rpc}/${name}/v3/<key>`,
  ])
  if (gateway.ipfs !== undefined) rows.push(['ipfs', '', `${gateway.ipfs}/api/v0`])
  rows.push(['metrics', '', `${gateway.admin}/metrics`])
  if (gateway.console !== undefined) rows.push(['console', '', gateway.console])
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]!.length))
  const lines = rows.map(([name, chain, url]) => `  ${name!.padEnd(width(0))}  ${chain!.padEnd(width(1))}  ${url}\n`)
  const apart =
    gateway.perProcess.length === 0
      ? ''
      : `\nwithout redis, several processes would each have their own: ${gateway.perProcess.join(', ')}\n`
  const chains = Object.entries(gateway.chainSources).map(([name, source]) => `${chainNote(name, source, dataDir)}\n`)
  const reported = chains.length === 0 ? '' : `\n${chains.join('')}`
  return `wayleave serves ${configFile}\n\n${lines.join('')}${reported}${apart}`
}

function chainNote(name: string, source: 'asked' | 'kept', dataDir: string | undefined): string {
  if (dataDir === undefined) return `${name}: its nodes told the chain; without dataDir they are asked at each start`
  const file = join(dataDir, 'chains.json')
  return source === 'kept'
    ? `${name}: the chain is the one that ${file} keeps`
    : `${name}: its nodes told the chain, which ${file} keeps; nodes of another one are left alone`
}
