import type { RawJson } from '@wayleave/jsonrpc-core'

/** Tells an event to the subscriber. Resolves when there is room for the next one; rejects once the subscriber has left. */
export type Report = (event: RawJson) => Promise<void>

/** The events of one subscription that were told, so that none is told twice and what is missing can be found. */
export interface Tracker {
  /** Learns the place from which the subscription tells: `from`, or else the head. @throws RpcError where it cannot be found */
  begin(from: StartPlace): Promise<void>
  /** The place to go on from, as the option of a server that can; undefined where only the client can. */
  place(): object | undefined
  /** Takes an event of the source. Returns those to tell, or undefined if events before it are missing. */
  take(event: RawJson): readonly RawJson[] | undefined
  /** Fetches and tells the events up to `event`, or to the head. @throws RpcError */
  fill(report: Report, event?: RawJson): Promise<void>
  /** The last block of which an event was told, if any. */
  last(): { readonly number: number; readonly hash: string } | undefined
  /** Forgets what was told, after a gap. */
  reset(): void
}

/** The place from which a subscription tells. */
export interface StartPlace {
  /** The first block to tell, as a hex quantity. */
  readonly fromBlock?: string | undefined
  /** The hash of the last block that was told. */
  readonly fromHash?: string | undefined
}
