export type BatchCall = readonly [method: string, ...params: unknown[]]

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/**
 * Asks a node several things in one batch. Returns the results in the order of the calls; an `Error` in the place of a call that failed.
 * @throws Error where no answer came in time.
 */
export async function askBatch(
  url: string,
  calls: readonly BatchCall[],
  timeoutMs = 3_000,
): Promise<readonly unknown[]> {
  if (calls.length === 0) return []
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const replies = (await response.json()) as readonly Reply[]
  const byId = new Map(replies.map((reply) => [reply.id, reply]))
  return calls.map(([method], id) => {
    const reply = byId.get(id)
    if (reply === undefined) return new Error(`${method}: no reply in the batch`)
    return reply.error === undefined ? reply.result : new Error(`${method}: ${reply.error.message}`)
  })
}
