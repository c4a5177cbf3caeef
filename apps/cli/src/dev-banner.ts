import { styleText } from 'node:util'
import { devAccounts } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { pathOf, versionOf } from '@wayleave/starknet-types'
import { devKey, devSecret } from './dev-project.ts'
import type { DevStarknet, NoStarknet } from './dev-starknet.ts'

/**
 * Prints the text of a ready `wayleave dev`: its URLs, an account and a call to copy, coloured if `stream` shows colour. Fits a terminal of 80
 * columns and 24 lines, unless there is a Starknet network, too.
 */
export function banner(
  gateway: RunningGateway,
  starknet: Pick<DevStarknet, 'accounts' | 'specVersion'> | NoStarknet,
  dataDir: string,
  stream: NodeJS.WriteStream,
): string {
  const bold = (text: string): string => styleText('bold', text, { stream })
  const faint = (text: string): string => styleText('dim', text, { stream })
  const { rpc, ws, ipfs, admin, console: page, networks } = gateway
  const heading = (name: string, note: string): string => `  ${bold(name)}${faint(note)}\n`
  const row = (name: string, value: string): string => `  ${bold(name.padEnd(9))} ${value}\n`
  const networkRows = Object.entries(networks).map(([name, chainId]) => {
    const path = name === 'dev' ? '' : `/${name}`
    return `${heading(name, `, chain ${chainId}`)}    ${rpc}${path}/v3/${devKey}\n    ${ws}${path}/ws/v3/${devKey}\n`
  })
  const starknetRows =
    'accounts' in starknet
      ? [
          `    ${starknetJsUrl(gateway, starknet)} ${faint('for starknet.js')}\n`,
          ...starknet.accounts
            .slice(0, 1)
            .map(({ address, privateKey }) => row('account', address) + row('its key', privateKey)),
        ].join('')
      : // The rest of the sentence is in the help.
        heading('starknet-dev', ` not here: ${starknet.why.split(';')[0]}`)
  const { address, privateKey } = devAccounts[0]!
  return `${bold('wayleave dev')} is ready; Ctrl-C stops it

${networkRows.join('')}${starknetRows}
${page === undefined ? '' : row('console', page)}${row('metrics', `${admin}/metrics`)}${row('ipfs', `${ipfs}/api/v0`)}${row('secret', `${devSecret} ${faint('(ipfs needs it)')}`)}${row('state', dataDir)}${row('account', address)}${row('its key', privateKey)}${row('mnemonic', mnemonic)}Everybody knows these keys, and nine more accounts: use them nowhere else.

  curl ${rpc}/v3/${devKey} \\
    -H 'content-type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
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

/** Tells all accounts of the two chains. */
const mnemonic = 'test test test test test test test test test test test junk'
