import type { Command } from '../command.ts'

/** `wayleave dev`: runs real chains with a gateway before them, on this machine only. */
export const dev: Command = {
  help: `Usage: wayleave dev [options]

Networks: dev (EVM, chain 31337, the default) and rollup-dev (EVM rollup, chain 901, whose L1 is dev); and starknet-dev,
where starknet-devnet is on the PATH or --starknet-url names a node.

  --port N          JSON-RPC over HTTP and WebSocket; default 8545
  --ipfs-port N     the IPFS API; default 5001
  --admin-port N    the console, health and metrics; default 8546
  --host ADDRESS    a loopback address; default 127.0.0.1
  --data-dir DIR    where state is kept over a restart; default .wayleave
  --starknet-url U  a Starknet node, instead of a starknet-devnet of its own
  --json            print one JSON line when ready, instead of text

Port 0 takes any free one. Ctrl-C or SIGTERM stops it.
`,
  // The gateway and the chains load when they are to run.
  run: async (args, io) => (await import('../dev/run-dev.ts')).runDev(args, io),
}
