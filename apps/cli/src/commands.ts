import type { Command, ListedCommand } from './command.ts'

/** All commands, in the order of `wayleave --help`. The module of each exports it under its name. */
export const commands: readonly ListedCommand[] = [
  row('dev', 'run a local gateway over two embedded chains', () => import('./commands/dev.ts')),
  row('serve', 'serve your nodes, by their URLs or a configuration file', () => import('./commands/serve.ts')),
  row('config', 'make, check or compare a configuration file', () => import('./commands/config.ts')),
  row('reload', 'have a running gateway read its configuration again', () => import('./commands/reload.ts')),
  row('top', 'show the traffic of a running gateway, second by second', () => import('./commands/top.ts')),
  row('doctor', 'check all that a gateway needs, and say what to do', () => import('./commands/doctor.ts')),
  row('backup', 'copy the state of a gateway into one file, while it serves', () => import('./commands/backup.ts')),
  row('restore', 'put the state of a backup back', () => import('./commands/restore.ts')),
  row('store', 'copy the state of a gateway into another database', () => import('./commands/store.ts')),
  row('explain', 'tell what became of a call, and why, by its trace id', () => import('./commands/explain.ts')),
  row('keys', 'create, list, rotate and revoke API keys', () => import('./commands/keys.ts')),
  row('projects', 'create and change the projects that hold keys', () => import('./commands/projects.ts')),
  row('plans', 'the limits that keys and projects share', () => import('./commands/plans.ts')),
  row('usage', 'sum calls and credits by method, project, hour, …', () => import('./commands/usage.ts')),
  row('apply', 'make projects, keys and plans equal to a file', () => import('./commands/apply.ts')),
  row('audit', 'list who changed which account, and when', () => import('./commands/audit.ts')),
  row('eth', 'call an eth_* method by name, or subscribe', () => import('./commands/eth.ts')),
  row('gas', 'suggest fees for a transaction, once or block by block', () => import('./commands/gas.ts')),
  row('ipfs', 'add, read, fetch and pin content by its CID', () => import('./commands/ipfs.ts')),
  row('rollup', 'ask a rollup node how far it has come', () => import('./commands/rollup.ts')),
  row('rpc', 'call any JSON-RPC method and print its result as it came', () => import('./commands/rpc.ts')),
  row('starknet', 'call a starknet_* method by name; hash a transaction', () => import('./commands/starknet.ts')),
  row('storageSlot', 'find the storage slot of a variable, and read it', () => import('./commands/storage-slot.ts')),
  row('verify', 'check what a node says by hashes, signatures and proofs', () => import('./commands/verify.ts')),
  row('watch', 'follow heads, logs or receipts without a gap', () => import('./commands/watch.ts')),
  row('mcp', 'serve tools to a program that drives a language model', () => import('./commands/mcp.ts')),
  {
    name: 'completion',
    summary: 'print the completion of bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).createCompletion(commands),
  },
]

function row<Name extends string>(
  name: Name,
  summary: string,
  load: () => Promise<Readonly<Record<Name, Command>>>,
): ListedCommand {
  const typed = name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)
  return { name: typed, summary, load: async () => (await load())[name] }
}
