/** One JSON-RPC call by name. */
export interface NamedCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface OpenOptions {
  /** The time limit of a call in ms; ignored by a library that has no option for it. */
  readonly timeoutMs?: number
  /** A signal for the calls; ignored by a library that takes none. */
  readonly signal?: AbortSignal
  /** Whether calls of one moment are sent together. */
  readonly batching?: boolean
}

/** A library's client over HTTP. Each method uses the call that the library's documentation names. */
export interface HttpSubject {
  /** Calls any method by the library's lowest documented function, and resolves with the result. */
  request(call: NamedCall): Promise<unknown>
  /** Sends the calls in one POST. */
  batch(calls: readonly NamedCall[]): readonly Promise<unknown>[]
  getBalance(): Promise<unknown>
  estimateGas(): Promise<unknown>
  getTransaction(hash: string): Promise<unknown>
  sendRawTransaction(raw: string): Promise<unknown>
  close(): Promise<void>
}

/** A library's client over WebSocket. */
export interface SocketSubject {
  request(call: NamedCall): Promise<unknown>
  /** Watches `newHeads`. Once the node has answered, resolves with a function that ends the watch. */
  watchHeads(onHead: (head: unknown) => void): Promise<() => unknown>
  close(): Promise<void>
}

/** An installed client library, opened as its documentation says, with limits set wherever it has an option. */
export interface Subject {
  readonly name: string
  openHttp(url: string, options: OpenOptions): HttpSubject | Promise<HttpSubject>
  openSocket(url: string): SocketSubject | Promise<SocketSubject>
}

/** The address that the calls ask about. */
export const someAddress = '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f'
