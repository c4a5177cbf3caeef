import { styleText } from 'node:util'
import type { RunningGateway } from '@wayleave/gateway'
import { pathOf, versionOf } from '@wayleave/starknet-types'
import { devKey, devSecret } from './dev-project.ts'
import type { DevStarknet, NoStarknet } from './dev-starknet.ts'

/** Prints the text of a ready `wayleave dev`: its URLs and commands to copy, coloured if `stream` shows colour. */
export function banner(
  gateway: RunningGateway,
  starknet: Pick<DevStarknet, 'accounts' | 'specVersion'> | NoStarknet,
  dataDir: string,
  stream: NodeJS.WriteStream,
): string {
  const bold = (text: string): string => styleText('bold', text, { stream })
  const faint = (text: string): string => styleText('dim', text, { stream })
  const { rpc, ws, ipfs, admin, networks } = gateway
  const isShown = 'accounts' in starknet
  const [nameWidth, noteWidth] = isShown ? [12, 17] : [11, 11]
  const row = (name: string, note: string, value: string): string =>
    `  ${bold(name.padEnd(nameWidth))} ${faint(note.padEnd(noteWidth))} ${value}\n`
  const networkRows = Object.entries(networks).map(([name, chainId]) => {
    const path = name === 'dev' ? '' : `/${name}`
    const http = row(name, `chain ${chainId}`, `${rpc}${path}/v3/${devKey}`)
    return http + row('', '', `${ws}${path}/ws/v3/${devKey}`)
  })
  const starknetRows = isShown
    ? [
        row('', 'for starknet.js', `${rpc}/starknet-dev/v3/${devKey}/rpc/${pathForStarknetJs(starknet.specVersion)}`),
        // The accounts of the EVM chains are anvil's well-known ones.
        ...starknet.accounts.map(({ address, privateKey }, i) =>
          row('', `account ${i + 1}`, `${address} (key ${privateKey})`),
        ),
      ].join('')
    : `  ${bold('starknet-dev')} ${faint('not here')}: ${starknet.why}\n`
  const call = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`
  return `
${bold('wayleave dev')} is ready

${networkRows.join('')}${starknetRows}
${row('ipfs', 'with secret', `${ipfs}/api/v0`)}${row('secret', 'optional', devSecret)}${row('metrics', '', `${admin}/metrics`)}${row('state', 'kept', dataDir)}
A first call:

  curl ${rpc}/v3/${devKey} -H 'content-type: application/json' -d '${call}'

What a transaction should pay:

  curl ${rpc}/v3/${devKey}/networks/${networks['dev']}/suggestedGasFees

A file on IPFS:

  curl -u ${devKey}:${devSecret} -F file=@README.md ${ipfs}/api/v0/add

Ctrl-C stops it.
`
}

/** Finds the path that starknet.js can use: it speaks 0.9 and 0.10, and loses least in the node's own version. */
function pathForStarknetJs(specVersion: string | undefined): string {
  const spoken = versionOf(specVersion ?? '')
  return pathOf(spoken === undefined || spoken === '0.10' ? '0.10' : '0.9')
}
