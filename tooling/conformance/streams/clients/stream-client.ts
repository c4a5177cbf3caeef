import type { StreamChain } from '../chain/stream-chain.ts'

export interface StreamTarget {
  readonly url: string
  readonly ws: string
  readonly chainId: number
  readonly filter: StreamChain['filter']
}

/** A log by its block and its place there. */
export interface ReportedLog {
  readonly block: number
  readonly index: number
  readonly removed: boolean
}

/** Called with everything that a client hands to its user. */
export interface Reported {
  /** `isOrdered`: whether the client hands heads over in the order in which they came; true by default. */
  readonly head: (number: number, isOrdered?: boolean) => void
  readonly log: (log: ReportedLog) => void
  /** The client says that something failed, or the connection was lost. */
  readonly failed: (why: string) => void
}

/** A library that follows heads and logs as its documentation shows, with its defaults and no help from the rig. */
export interface StreamClient extends AsyncDisposable {
  readonly name: string
}

export type OpenStreamClient = (target: StreamTarget, reported: Reported) => Promise<StreamClient>

/** The first line of an error, and a peer's own words where a library has them. */
export function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { details } = thrown as { readonly details?: unknown }
  const [first] = `${thrown.name}: ${thrown.message}`.split('\n', 1) as [string]
  return (typeof details === 'string' ? `${first} ${details}` : first).slice(0, 200)
}
