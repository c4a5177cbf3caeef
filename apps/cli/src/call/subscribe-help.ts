import { callFlagsHelp } from './call-flags.ts'

/** The flags that only `eth subscribe` has, for `parseArgs`. */
export const subscribeFlags = { count: { type: 'string' } } as const

export const subscribeHelp: string = `Usage: wayleave eth subscribe KIND [ARG] [options]

Opens a subscription and prints each event in a line, as JSON or as the text it is, until Ctrl-C.

  newHeads                        blocks as they come
  logs [FILTER]                   logs of new blocks; FILTER is JSON, or the flags below
  transactionReceipts [FILTER]    receipts of new blocks, where the node has this kind
  newPendingTransactions [true]   hashes of pending transactions, or with true the whole
  syncing                         whether the node is syncing

  --count N           ends after N events
  --address A         of logs; may be repeated
  --topic T           of logs; the first is the event's; "any" leaves its place open
${callFlagsHelp}

It needs a WebSocket: a ws(s) URL, or the URL of a gateway, which ends in /v3/KEY. After a drop it subscribes again, and fetches
heads, logs and receipts that it missed; where it cannot, it says so on stderr. wayleave watch prints columns, and can begin in the past.

Example:
  wayleave eth subscribe newHeads --count 3
`
