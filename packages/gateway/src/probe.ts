import { type Clock, createContext, isStream, RpcError, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '@wayleave/upstream'
import type { NetworkConfig } from './config/config.ts'
import { chainFelt } from './networks/chain-felt.ts'

/** Why an endpoint cannot serve; without a URL. */
interface ProbeFailure {
  readonly endpoint: string
  readonly reason: string
}

/** Asks whether a network can serve now: the failures of all its endpoints, or none where one of them can. */
export type Probe = () => Promise<readonly ProbeFailure[]>

/** How long a node may take to say that it is there, in ms. */
const probeTimeoutMs = 2_000
/** How long an answer holds, in ms: the question is open to anybody and must not load the nodes. */
const freshMs = 1_000

/** What a network is known by. */
type Chain = Pick<NetworkConfig, 'kind' | 'chainId'>

/** Makes the {@link Probe} of a network: an endpoint has to answer `eth_chainId`, or `starknet_chainId`, with the configured chain. */
export function createProbe(endpoints: readonly Endpoint[], { kind, chainId }: Chain, clock: Clock): Probe {
  const method = kind === 'starknet' ? 'starknet_chainId' : 'eth_chainId'
  const expected = typeof chainId === 'number' ? `0x${chainId.toString(16)}` : chainFelt(chainId)

  async function ask({ handler }: Endpoint): Promise<string | undefined> {
    const context = createContext({ clock, timeoutMs: probeTimeoutMs })
    try {
      const chain = chainOf(await handler({ method, params: undefined, notification: false }, context))
      return chain === expected ? undefined : `expected chain ${expected}, got ${chain}`
    } catch (thrown) {
      return thrown instanceof RpcError ? thrown.message : 'the probe failed'
    } finally {
      context.release()
    }
  }

  async function askAll(): Promise<readonly ProbeFailure[]> {
    const reasons = await Promise.all(endpoints.map(ask))
    askedAt = clock.now()
    if (reasons.includes(undefined)) return []
    return endpoints.map(({ name }, i) => ({ endpoint: name, reason: reasons[i]! }))
  }

  // Whoever asks meanwhile gets the same answer.
  let last: Promise<readonly ProbeFailure[]> | undefined
  let askedAt = Number.POSITIVE_INFINITY
  return () => {
    if (last === undefined || clock.now() - askedAt >= freshMs) {
      askedAt = Number.POSITIVE_INFINITY
      last = askAll()
    }
    return last
  }
}

/** The chain of an answer; of anything else no more than its kind, as anybody may read it. */
function chainOf({ result, error }: RpcResponse): string {
  if (error !== undefined) return `error ${error.code}`
  const chain = isStream(result) ? undefined : result.value()
  return typeof chain === 'string' && /^0x[\da-f]{1,64}$/i.test(chain)
    ? `0x${BigInt(chain).toString(16)}`
    : 'something else'
}
