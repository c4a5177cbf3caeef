import { rawJsonFromText, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { valueOf } from './chain-of.ts'
import type { HeadStream } from './network-kind.ts'

/** Members of a block that geth does not announce: they are not of its header. */
const beyondHeader = new Set(['size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals'])

/** `eth_subscribe` for `newHeads`. */
export const evmHeadStream: HeadStream = {
  opens: ({ method, params }) => method === 'eth_subscribe' && params?.text().startsWith('["newHeads"') === true,
  blockAt: (hash) => ({
    method: 'eth_getBlockByHash',
    params: rawJsonFromText(JSON.stringify([hash, false])),
    notification: false,
  }),
  announced(response) {
    const members = Object.entries(Object(valueOf(response)) as object)
    return rawJsonFromValue(Object.fromEntries(members.filter(([name]) => !beyondHeader.has(name))))
  },
}
