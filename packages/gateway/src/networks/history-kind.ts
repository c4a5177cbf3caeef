import type { RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { AskQuestion, Retention } from '@wayleave/upstream'

/** A part of the chain's history that a call reads. */
export type HistoryRead =
  | {
      readonly resource: string
      /** The oldest height that it reads. */
      readonly block: number
      /** Whether there is something to answer wherever the block is there: `null` means that it is missing. */
      readonly isCertain: boolean
    }
  /** By the hash of a block or a transaction, in lower case: its height is for nodes to know. */
  | { readonly resource: string; readonly hash: string; readonly isCertain: boolean }

/** Notes what is found out of one node's history. */
export interface HistoryNotes {
  told(resource: string, retention: Retention): void
  served(resource: string, block: number): void
  lacked(resource: string, block: number): void
}

/** How a family's nodes keep and prune their history. */
export interface HistoryKind {
  /** The resources, each with those without which no node has it. */
  readonly resources: Readonly<Record<string, readonly string[]>>
  /** The resource of lookups by the hash of a transaction. */
  readonly transactions: string
  /** The history that a call reads; undefined: none, or only what is near the head. */
  reads(request: RpcRequest): HistoryRead | undefined
  /**
   * How an answer to a call that reads history has found nothing: `null`; or `empty`, a list that may be empty where its block is there, too.
   * Undefined: it has found something.
   */
  nothingIn(request: RpcRequest, response: RpcResponse): 'null' | 'empty' | undefined
  /** The block in which the transaction of an answer was included; undefined where it waits for one. */
  minedAt(request: RpcRequest, response: RpcResponse): number | undefined
  /** The hash of the transaction that an answer accepts, in lower case. */
  acceptedBy(request: RpcRequest, response: RpcResponse): string | undefined
  /** Asks a node how far back it has what, as it says itself, or else by looking. `head`: the height of the chain. */
  examine(ask: AskQuestion, head: number, notes: HistoryNotes): Promise<void>
}
