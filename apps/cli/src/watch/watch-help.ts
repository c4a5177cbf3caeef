import { callFlagsHelp } from '../call/call-flags.ts'

/** The text of `wayleave watch --help`. */
export const watchHelp: string = `Usage: wayleave watch KIND [options]

Follows a chain, and prints a line for each event until Ctrl-C. Heads, logs and receipts that a lost connection took are
fetched, so that none is missing and none comes twice; stderr tells of reconnects, and of a gap that could not be closed.

  heads        new blocks
  logs         logs of new blocks; a line with "-" takes back one that a reorg removed
  receipts     receipts of new blocks, where the node has such a subscription
  pending      pending transactions; those of a lost connection are not fetched
  status HASH  the way of a Starknet transaction, with --spec-version

  --address A         of logs; may be repeated
  --topic T           of logs; the first is the event's; "any" leaves its place open
  --from-block N      of heads and logs: begins there; decimal or hex
  --full              of pending: whole transactions
  --count N           ends after N events
  --spec-version V    follows a Starknet node that speaks this version of the API, 0.8 or later
${callFlagsHelp}

A pipe gets columns apart by tabs, a terminal a table; --json prints each event in a line, as it came. It needs a WebSocket: a
ws(s) URL, or the URL of a gateway, which ends in /v3/KEY.

Example:
  wayleave watch logs --address 0x5FbDB2315678afecb367f032d93F642f64180aa3 --from-block 0
`
