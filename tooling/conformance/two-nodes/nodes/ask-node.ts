/** Asks a node by JSON-RPC over HTTP. @throws Error with the node's own words, or where none came in time. */
export async function askNode<T>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  options: { readonly timeoutMs?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<T> {
  const { timeoutMs = 1_500, headers } = options
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { result, error } = (await response.json()) as { result?: T; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result as T
}
