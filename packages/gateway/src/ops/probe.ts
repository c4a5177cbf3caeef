import { type Clock, createContext, RpcError, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { Endpoint, HeadReader } from '@wayleave/upstream'

/** The state of an endpoint, without a URL. */
export interface EndpointState {
  readonly endpoint: string
  /** Why it cannot serve; undefined where it can. */
  readonly reason: string | undefined
}

/** One look at a part of the gateway. Neither promise rejects. */
export interface Look {
  /** Whether it can serve: true with the first endpoint that can, false when none could. */
  readonly serves: Promise<boolean>
  /** The state of all endpoints, once all have answered. */
  readonly all: Promise<readonly EndpointState[]>
}

/** Looks whether a part can serve now. */
export type Probe = () => Look

/** A part of the gateway that can be asked whether it serves. */
export interface Probed {
  readonly name: string
  readonly probe: Probe
}

/** How long a node may take to answer a probe, in ms. */
const probeTimeoutMs = 2_000
/** How long after its beginning a look holds, in ms: anybody may ask, and that must not load the nodes. */
const freshMs = 1_000

/** The state of a network's upstreams, as its pool knows it. */
export interface ProbedPool {
  /** Why an upstream is left alone, for people; undefined where it is not. */
  reasonOf(endpoint: string): string | undefined
  /** Whether an upstream tells its head, so that it is of use even if it does not tell its chain. */
  tellsHead(endpoint: string): boolean
}

/** Creates the {@link Probe} of a network: an endpoint has to name the configured chain, or at least its head, and stand where the others are. */
export function createProbe(
  pool: ProbedPool,
  endpoints: readonly Endpoint[],
  { chainId, expectedChain, chainOf }: Pick<HeadReader, 'chainId' | 'expectedChain' | 'chainOf'>,
  clock: Clock,
): Probe {
  async function ask({ handler, name }: Endpoint): Promise<EndpointState> {
    const context = createContext({ clock, timeoutMs: probeTimeoutMs })
    try {
      const response = await handler(chainId, context)
      const chain = chainOf(response)
      if (chain === expectedChain || (chain === undefined && pool.tellsHead(name)))
        return { endpoint: name, reason: pool.reasonOf(name) }
      return { endpoint: name, reason: `expected chain ${expectedChain}, got ${chain ?? kindOf(response)}` }
    } catch (thrown) {
      return { endpoint: name, reason: thrown instanceof RpcError ? thrown.message : 'the probe failed' }
    } finally {
      context.release()
    }
  }

  let last: Look | undefined
  let askedAt = 0
  return () => {
    if (last === undefined || clock.now() - askedAt >= freshMs) {
      askedAt = clock.now()
      const states = endpoints.map(ask)
      last = { serves: first(states), all: Promise.all(states) }
    }
    return last
  }
}

/** Makes a look of the states of a part that answers at once for all of its endpoints. No states: it can serve. */
export function lookAt(states: Promise<readonly EndpointState[]>): Look {
  return { serves: states.then((all) => all.length === 0 || all.some(canServe)), all: states }
}

/** Whether an endpoint can serve. */
export function canServe({ reason }: EndpointState): boolean {
  return reason === undefined
}

/** Resolves with true at the first endpoint that can serve. */
function first(states: readonly Promise<EndpointState>[]): Promise<boolean> {
  return new Promise((resolve) => {
    for (const state of states) void state.then((found) => canServe(found) && resolve(true))
    void Promise.all(states).then((all) => resolve(all.some(canServe)))
  })
}

/** Tells of an answer that names no chain no more than its kind, since anybody may read it. */
function kindOf({ error }: RpcResponse): string {
  return error === undefined ? 'something else' : `error ${error.code}`
}
