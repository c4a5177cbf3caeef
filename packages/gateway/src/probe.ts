import { type Clock, createContext, isStream, RpcError, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '@wayleave/upstream'

/** How long a node may take to say that it is there, in ms. */
const probeTimeoutMs = 2_000

/**
 * Makes the question whether a network can serve now: one endpoint has to answer `eth_chainId` with the configured chain.
 * The answer is undefined, or why not, without a URL.
 */
export function createProbe(
  endpoints: readonly Endpoint[],
  chainId: number,
  clock: Clock,
): () => Promise<string | undefined> {
  const expected = `0x${chainId.toString(16)}`

  async function ask({ name, handler }: Endpoint): Promise<string | undefined> {
    const context = createContext({ clock, timeoutMs: probeTimeoutMs })
    try {
      const chain = valueOf(await handler({ method: 'eth_chainId', params: undefined, notification: false }, context))
      return chain === expected ? undefined : `${name}: expected chain ${expected}, got ${JSON.stringify(chain)}`
    } catch (thrown) {
      return `${name}: ${thrown instanceof RpcError ? thrown.message : 'the probe failed'}`
    } finally {
      context.release()
    }
  }

  async function askAll(): Promise<string | undefined> {
    const reasons = await Promise.all(endpoints.map(ask))
    return reasons.includes(undefined) ? undefined : reasons.join('; ')
  }

  // Whoever asks meanwhile gets the same answer: the question is open to anybody and must not load the nodes.
  let asking: Promise<string | undefined> | undefined
  return () =>
    (asking ??= askAll().finally(() => {
      asking = undefined
    }))
}

function valueOf(response: RpcResponse): unknown {
  if (response.error !== undefined) return `error ${response.error.code}`
  return isStream(response.result) ? undefined : response.result.value()
}
