/** A number that a client read. `from`: the upstream that answered, where the client can tell. */
export interface Answer {
  readonly number: number
  readonly from?: string | undefined
}

export interface Announced {
  readonly number: number
  readonly hash: string
}

export interface Announcements {
  readonly onBlock: (block: Announced) => void
  /** The client says that a block which was announced to it is not there. */
  readonly onMissing: (why: unknown) => void
  readonly onError: (why: unknown) => void
  /** The connection was lost; the client has opened another one. */
  readonly onReconnect: () => void
}

/** A library as its users have it: with its defaults, but for its own caches, which would hide what the gateway says. */
export interface RigClient extends AsyncDisposable {
  readonly name: string
  /** Announces blocks until it is disposed. */
  watch(announcements: Announcements): Promise<void>
  blockNumber(): Promise<Answer>
  latest(): Promise<Answer>
  /** Whether a block is there, by its hash. */
  hasBlock(hash: string): Promise<boolean>
  /** Reads a balance at a block; rejects where the node has no state of it. */
  stateAt(number: number): Promise<void>
  pendingNonce(): Promise<Answer>
  /** Sends a transfer with this nonce. */
  send(nonce: number): Promise<void>
}

/** The addresses and the account that a client is given. */
export interface ClientTarget {
  readonly url: string
  readonly ws: string
  readonly chainId: number
  readonly account: { readonly address: string; readonly privateKey: string }
  /** The fees of its transactions, in wei. Default: {@link fees}. */
  readonly fees?: Fees
}

export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** The fees of transactions, in wei: far above the base fee of a chain that is not used, at geth's least tip. */
export const fees: Fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
export const receiver = '0x000000000000000000000000000000000000dEaD'
