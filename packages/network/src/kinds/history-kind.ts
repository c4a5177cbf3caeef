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
  | {
      readonly resource: string
      readonly hash: string
      readonly isCertain: boolean
      /** The resource that is read at the block of the hash, where it is another one than that in which the hash is found. */
      readonly content?: string
    }

/** Notes what is found out of one node's history. */
export interface HistoryNotes {
  reported(resource: string, retention: Retention): void
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
  /** Whether an error may be in the words of its call's caller, or of code that the caller brings: it tells nothing of the node. */
  mayEcho(request: RpcRequest): boolean
  /** The block of the transaction that a call by its hash has found; 0 where the answer names none. Undefined: no such call. */
  minedAt(request: RpcRequest, response: RpcResponse): number | undefined
  /** The hash of the transaction that an answer accepts, in lower case. */
  acceptedBy(request: RpcRequest, response: RpcResponse): string | undefined
  /** Asks a node how far back it has what, as it says itself, or else by looking. `head`: the height of the chain. */
  examine(ask: AskQuestion, head: number, notes: HistoryNotes): Promise<void>
}
