import type { ListedCommand } from './command.ts'

export const commands: readonly ListedCommand[] = [
  {
    name: 'dev',
    summary: 'run a local gateway over two embedded chains',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  {
    name: 'serve',
    summary: 'serve your nodes, by their URLs or a configuration file',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'config',
    summary: 'make, check or compare a configuration file',
    load: async () => (await import('./commands/config.ts')).config,
  },
  {
    name: 'reload',
    summary: 'have a running gateway read its configuration again',
    load: async () => (await import('./commands/reload.ts')).reload,
  },
  {
    name: 'top',
    summary: 'show the traffic of a running gateway, second by second',
    load: async () => (await import('./commands/top.ts')).top,
  },
  {
    name: 'doctor',
    summary: 'check all that a gateway needs, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'backup',
    summary: 'copy the state of a gateway into one file, while it serves',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'put the state of a backup back',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  {
    name: 'explain',
    summary: 'tell what became of a call, and why, by its trace id',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  {
    name: 'keys',
    summary: 'create, list, rotate and revoke API keys',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'projects',
    summary: 'create and change the projects that hold keys',
    load: async () => (await import('./commands/projects.ts')).projects,
  },
  {
    name: 'plans',
    summary: 'the limits that keys and projects share',
    load: async () => (await import('./commands/plans.ts')).plans,
  },
  {
    name: 'usage',
    summary: 'sum calls and credits by method, project, hour, …',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  {
    name: 'apply',
    summary: 'make projects, keys and plans equal to a file',
    load: async () => (await import('./commands/apply.ts')).apply,
  },
  {
    name: 'audit',
    summary: 'list who changed which account, and when',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  {
    name: 'eth',
    summary: 'call an eth_* method by name, or subscribe',
    load: async () => (await import('./commands/eth.ts')).eth,
  },
  {
    name: 'gas',
    summary: 'suggest fees for a transaction, once or block by block',
    load: async () => (await import('./commands/gas.ts')).gas,
  },
  {
    name: 'ipfs',
    summary: 'add, read, fetch and pin content by its CID',
    load: async () => (await import('./commands/ipfs.ts')).ipfs,
  },
  {
    name: 'rollup',
    summary: 'ask a rollup node how far it has come',
    load: async () => (await import('./commands/rollup.ts')).rollup,
  },
  {
    name: 'rpc',
    summary: 'call any JSON-RPC method and print its result as it came',
    load: async () => (await import('./commands/rpc.ts')).rpc,
  },
  {
    name: 'starknet',
    summary: 'call a starknet_* method by name; hash a transaction',
    load: async () => (await import('./commands/starknet.ts')).starknet,
  },
  {
    name: 'storage-slot',
    summary: 'find the storage slot of a variable, and read it',
    load: async () => (await import('./commands/storage-slot.ts')).storageSlot,
  },
  {
    name: 'verify',
    summary: 'check what a node says by hashes, signatures and proofs',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  {
    name: 'watch',
    summary: 'follow heads, logs or receipts without a gap',
    load: async () => (await import('./commands/watch.ts')).watch,
  },
  {
    name: 'mcp',
    summary: 'serve tools to a program that drives a language model',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'completion',
    summary: 'print the completion of bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).createCompletion(commands),
  },
]
