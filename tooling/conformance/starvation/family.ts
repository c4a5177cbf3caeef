import type { Bars } from './measure/bars.ts'

/** The gateway as the attacker reaches it, and how an attack tells what it did. */
export interface AttackContext {
  /** `http://127.0.0.1:port`; its calls go to `${rpc}${path}`. */
  readonly rpc: string
  /** `http://127.0.0.1:port` of the IPFS API. */
  readonly ipfs: string
  /** The path of a call with the attacker's key, on the network that the attack is aimed at. */
  readonly path: string
  /** The same for a WebSocket. */
  readonly webSocketPath: string
  /** The path of a call with a key that nobody has. */
  readonly strangePath: () => string
  /** `Authorization` of the attacker's project by its key and secret. */
  readonly authorization: string
  /** A number that no other call of this attack has, so that no two reads are the same. */
  readonly next: () => number
  /** Counts what came of the attack, such as `200` or `closed`. */
  readonly tally: (what: string, count?: number) => void
}

/** An attack that runs until it is stopped. */
export interface Attack {
  /** Takes back sockets and timers. */
  stop(): void
}

/** One thing that a caller with a valid key can do to others. */
export interface Family {
  /** Its number in the README. */
  readonly number: number
  readonly name: string
  /** What the attacker does, in one line. */
  readonly does: string
  readonly start: (context: AttackContext) => Attack | Promise<Attack>
  /** Surroundings of the gateway that belong to the attack. Default: none. */
  readonly surroundings?: Surroundings
  /** Bars that differ from those of the others. */
  readonly bars?: Partial<Bars>
}

export interface Surroundings {
  /** Nobody reads the gateway's stderr. */
  readonly stalledStderr?: boolean
  /** The folder of the gateway's data is a file system of so many megabytes. */
  readonly diskMegabytes?: number
}
