/** An answer without its transport. */
export interface GasAnswer {
  readonly status: number
  /** Names in lower case, without `content-length` and CORS headers. */
  readonly headers: Readonly<Record<string, string>>
  /** A whole body, or a stream of server-sent events that ends when its iteration is left or the signal aborts. */
  readonly body: string | AsyncIterable<string>
}

/** Makes the answer of an error, in the form of all of this API. */
export function refuse(status: number, message: string, headers: GasAnswer['headers'] = {}): GasAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ statusCode: status, message }),
  }
}
