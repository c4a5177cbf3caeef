import { type Peer, run } from './peer.ts'

/** starknet-devnet: a Starknet chain on one machine. */
export const starknetDevnet: Peer = {
  name: 'starknet-devnet',
  program: 'starknet-devnet',
  variable: 'STARKNET_DEVNET',
  toolchain: 'cargo',
  build: async (folder) => void (await run('cargo', ['install', 'starknet-devnet', '--locked', '--root', folder])),
}
