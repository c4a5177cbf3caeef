import { styleText } from 'node:util'
import type { RunningGateway } from '@wayleave/gateway'
import { devKey, devSecret } from './dev-project.ts'

/** What a person sees when `wayleave dev` is ready: where to call, and a line to copy; in colour where `stream` shows it. */
export function banner(gateway: RunningGateway, dataDir: string, stream: NodeJS.WriteStream): string {
  const bold = (text: string): string => styleText('bold', text, { stream })
  const faint = (text: string): string => styleText('dim', text, { stream })
  const row = (name: string, note: string, value: string): string =>
    `  ${bold(name.padEnd(11))} ${faint(note.padEnd(11))} ${value}\n`
  const { rpc, ws, admin, networks } = gateway
  const networkRows = Object.entries(networks).map(([name, chainId]) => {
    const path = name === 'dev' ? '' : `/${name}`
    const http = row(name, `chain ${chainId}`, `${rpc}${path}/v3/${devKey}`)
    return http + row('', '', `${ws}${path}/ws/v3/${devKey}`)
  })
  const call = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`
  return `
${bold('wayleave dev')} is ready

${networkRows.join('')}
${row('secret', 'optional', devSecret)}${row('metrics', '', `${admin}/metrics`)}${row('state', 'kept', dataDir)}
A first call:

  curl ${rpc}/v3/${devKey} -H 'content-type: application/json' -d '${call}'

What a transaction should pay:

  curl ${rpc}/v3/${devKey}/networks/${networks['dev']}/suggestedGasFees

Ctrl-C stops it.
`
}
