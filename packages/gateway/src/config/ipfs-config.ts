/** The IPFS API (Spec §4.12): where content lives, and its bounds. */
export type IpfsConfig = LocalIpfsConfig | KuboIpfsConfig

interface IpfsBounds {
  /** Longest request, in bytes. Default 100,000,000. */
  readonly maxRequestBytes?: number
  /** How long a caller may send or take nothing, in ms. Default 60,000. */
  readonly stallMs?: number
}

/** Content in files of this machine. */
export interface LocalIpfsConfig extends IpfsBounds {
  readonly backend: 'local'
  /** A folder that nobody else uses. Default: `ipfs` in `dataDir`, which has to be given then. */
  readonly dir?: string
  /** Trustless gateways (http or https URLs), in order, of which content is fetched that is not here. Default: none. */
  readonly gateways?: readonly string[]
  /** Whether larger blocks are written past the cache of the system: for content that comes faster than it is read. Default false. */
  readonly direct?: boolean
  /** How often content is removed that no project pins, in ms; first ten minutes after the start at most. Default 3,600,000. */
  readonly collectEveryMs?: number
}

/** Content in a Kubo, or in an IPFS Cluster by its proxy. */
export interface KuboIpfsConfig extends IpfsBounds {
  readonly backend: 'kubo'
  /** Of its RPC, such as `http://kubo:5001`; credentials in it become a header. */
  readonly url: string
}

/** What a project may use of the IPFS API, in bytes; 0: nothing. Default: no bound. */
export interface ProjectIpfsConfig {
  /** Sum over its pins. */
  readonly storedBytes?: number
  /** Each calendar month, UTC. */
  readonly uploadBytes?: number
  readonly downloadBytes?: number
}
