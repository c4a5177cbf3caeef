import { unknownSubcommand } from '../accounts/subcommands.ts'
import type { Command, CommandIo } from '../command.ts'
import { ipfsHelp } from '../ipfs/help.ts'

type Run = (args: readonly string[], io: CommandIo) => Promise<number>

/** The code of each subcommand loads when it is called. */
const subcommands: Readonly<Record<string, () => Promise<Run>>> = {
  add: async () => (await import('../ipfs/add.ts')).add,
  cat: async () => (await import('../ipfs/cat.ts')).cat,
  get: async () => (await import('../ipfs/get.ts')).get,
  ls: async () => (await import('../ipfs/ls.ts')).ls,
  pin: async () => (await import('../ipfs/pin.ts')).pin,
  verify: async () => (await import('../ipfs/verify.ts')).verify,
}

/** `wayleave ipfs`: handles content by its CID, in a gateway or any host of the IPFS HTTP API. */
export const ipfs: Command = {
  help: ipfsHelp,
  writesContent: ([name]) => name === 'cat',
  async run([name, ...args], io) {
    const load = name !== undefined && Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
    if (load === undefined) throw await unknownSubcommand(name, Object.keys(subcommands))
    return (await load())(args, io)
  },
}
