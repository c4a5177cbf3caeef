/** One JSON-RPC call by name. */
export interface NamedCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface OpenOptions {
  /** How long a call may take, in ms; ignored by a library that has no option for it. */
  readonly timeoutMs?: number
  /** A signal for the calls; ignored by a library that takes none. */
  readonly signal?: AbortSignal
  /** Whether calls of one moment are to travel together. */
  readonly batching?: boolean
}

/** A library's client over HTTP, each method by the call that its documentation names for it. */
export interface HttpSubject {
  /** Any method, by the library's lowest documented door; gives the result. */
  request(call: NamedCall): Promise<unknown>
  /** Side by side, in one POST. */
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
  /** Watches `newHeads`; resolves with what ends it once the node has answered. */
  watchHeads(onHead: (head: unknown) => void): Promise<() => unknown>
  close(): Promise<void>
}

/** A client library as it is installed, opened as its documentation opens it; limits are set wherever it has an option. */
export interface Subject {
  readonly name: string
  openHttp(url: string, options: OpenOptions): HttpSubject | Promise<HttpSubject>
  openSocket(url: string): SocketSubject | Promise<SocketSubject>
}

/** Whom the calls are about. */
export const someAddress = '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f'
