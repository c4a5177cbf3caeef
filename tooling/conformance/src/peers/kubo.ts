import { buildGoProgram } from './go-program.ts'
import type { Peer } from './peer.ts'

/** Kubo, the reference node of IPFS. */
export const kubo: Peer = {
  name: 'kubo',
  program: 'ipfs',
  variable: 'KUBO',
  toolchain: 'go',
  build: (folder) => buildGoProgram(folder, 'github.com/ipfs/kubo@v0.43.0', './cmd/ipfs'),
}
