import { styleText } from 'node:util'
import { devAccounts } from '@wayleave/dev-node'
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
  const { rpc, ws, ipfs, admin, console: page, networks } = gateway
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
        row('', 'for starknet.js', starknetJsUrl(gateway, starknet)),
        ...starknet.accounts.map(({ address, privateKey }, i) =>
          row('', `account ${i + 1}`, `${address} (key ${privateKey})`),
        ),
      ].join('')
    : `  ${bold('starknet-dev')} ${faint('not here')}: ${starknet.why}\n`
  const accountRows = shownAccounts.map(({ address, privateKey }) => `  ${address} (key ${privateKey})\n`)
  const call = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`
  return `
${bold('wayleave dev')} is ready

${networkRows.join('')}${starknetRows}
${page === undefined ? '' : row('console', 'no sign-in', page)}${row('ipfs', 'with secret', `${ipfs}/api/v0`)}${row('secret', 'optional', devSecret)}${row('metrics', '', `${admin}/metrics`)}${row('state', 'kept', dataDir)}
Accounts of dev and rollup-dev, each with 10,000 ether at first. Everybody knows their keys: use them nowhere else.

${accountRows.join('')}  ${faint(`and seven more, of the mnemonic: ${mnemonic}`)}

A first call:

  curl ${rpc}/v3/${devKey} -H 'content-type: application/json' -d '${call}'

What a transaction should pay:

  curl ${rpc}/v3/${devKey}/networks/${networks['dev']}/suggestedGasFees

A file on IPFS:

  curl -u ${devKey}:${devSecret} -F file=@README.md ${ipfs}/api/v0/add

Ctrl-C stops it.
`
}

/** Prints the URL for starknet.js: it speaks 0.9 and 0.10 of the interface, and loses least in the node's own version. */
export function starknetJsUrl(
  { rpc }: Pick<RunningGateway, 'rpc'>,
  { specVersion }: Pick<DevStarknet, 'specVersion'>,
): string {
  const spoken = versionOf(specVersion ?? '')
  const path = pathOf(spoken === undefined || spoken === '0.10' ? '0.10' : '0.9')
  return `${rpc}/starknet-dev/v3/${devKey}/rpc/${path}`
}

/** The accounts that are shown; the mnemonic tells the others. */
const shownAccounts = devAccounts.slice(0, 3)
const mnemonic = 'test test test test test test test test test test test junk'
