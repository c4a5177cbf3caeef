import { buildGoProgram } from './go-program.ts'
import type { Peer } from './peer.ts'

/** IPFS Cluster, which pins in many Kubos at once. Its suite needs a Kubo as well. */
export const ipfsCluster: Peer = {
  name: 'ipfs-cluster',
  program: 'ipfs-cluster-service',
  variable: 'IPFS_CLUSTER',
  toolchain: 'go',
  build: (folder) =>
    buildGoProgram(folder, 'github.com/ipfs-cluster/ipfs-cluster@v1.1.0', './cmd/ipfs-cluster-service'),
}
