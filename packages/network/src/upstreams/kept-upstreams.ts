import { RpcError, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import {
  createUpstreamHealth,
  type KnownHistory,
  type KnownRanges,
  type Prober,
  type UpstreamHealth,
} from '@wayleave/upstream'
import type { OpenEndpoint } from '../endpoints/endpoints.ts'
import { endable } from '../subscriptions/endable.ts'

/** The health of an upstream, with the prober of the network that it serves in at the moment. */
export interface KeptHealth {
  readonly health: UpstreamHealth
  probe: Prober['schedule']
}

/** The knowledge of a network's upstreams, by their names. */
export interface UpstreamKnowledge {
  readonly healths: Map<string, KeptHealth>
  readonly ranges: Map<string, KnownRanges>
  readonly history: Map<string, KnownHistory>
  /** The time of the last look at its history, in ms on the clock's monotonic scale. */
  readonly examinedAt: Map<string, number>
}

/** An endpoint that several networks may hold: one that serves, and those before it whose calls end. */
interface Held {
  readonly endpoint: OpenEndpoint
  holders: number
}

/** An endpoint that a network wants. */
export interface WantedEndpoint {
  /** Endpoints of equal identity are the same. */
  readonly identity: string
  readonly open: () => OpenEndpoint
}

export interface KeptUpstreamsOptions {
  /** Those of the network that is there now. Default: none is. */
  readonly before: KeptUpstreams | undefined
  readonly wanted: readonly WantedEndpoint[]
  readonly opensSubscription: (request: RpcRequest) => boolean
}

/** The endpoints of a network and what was learnt of them, as far as they go over to the network in its place. */
export interface KeptUpstreams {
  /** In the order in which they were wanted. */
  readonly endpoints: readonly OpenEndpoint[]
  readonly knowledge: UpstreamKnowledge
  /** By identity. */
  readonly held: ReadonlyMap<string, Held>
  /** Has their health probed by this prober, also what the one of the network before owes. */
  probedBy(schedule: KeptHealth['probe'], now: number): void
  /** Ends the subscriptions that were opened here, and closes the endpoints that no other network holds. */
  close(): Promise<void>
}

/** Holds the endpoints of a network: those of the network before, where they are the same, with all that is known of them; else new ones. */
export function keepUpstreams({ before, wanted, opensSubscription }: KeptUpstreamsOptions): KeptUpstreams {
  const knowledge: UpstreamKnowledge = {
    healths: new Map(),
    ranges: new Map(),
    history: new Map(),
    examinedAt: new Map(),
  }
  const held = new Map<string, Held>()
  // No function here may refer to `before`: networks would be kept in memory by those after them.
  for (const { identity, open } of wanted) {
    const known = before?.held.get(identity)
    const isThere = known !== undefined && known.holders > 0
    const own = isThere ? known : { endpoint: open(), holders: 0 }
    own.holders++
    held.set(identity, own)
    if (isThere) recall(own.endpoint.name, before!.knowledge, knowledge)
  }
  const subscriptions = new Set<(why: RpcError) => void>()
  let isClosed = false

  async function subscribe(endpoint: OpenEndpoint, ...call: Parameters<OpenEndpoint['handler']>): Promise<RpcResponse> {
    const response = await endpoint.handler(...call)
    if (response.error !== undefined || response.subscription === undefined) return response
    const subscription = endable(response.subscription, (end) => {
      subscriptions.add(end)
      if (isClosed) void Promise.resolve().then(endAll)
      return () => subscriptions.delete(end)
    })
    return { ...response, subscription }
  }

  function endAll(): void {
    for (const end of subscriptions) end(new RpcError('disconnected', 'the network of the subscription was replaced'))
  }

  return {
    endpoints: [...held.values()].map(({ endpoint }) => ({
      ...endpoint,
      handler: (request, context) =>
        opensSubscription(request) ? subscribe(endpoint, request, context) : endpoint.handler(request, context),
    })),
    knowledge,
    held,
    probedBy(schedule, now) {
      for (const kept of knowledge.healths.values()) {
        kept.probe = schedule
        kept.health.renewProbe(now)
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      endAll()
      const gone = [...held.values()].filter((each) => --each.holders === 0)
      await Promise.all(gone.map(({ endpoint }) => endpoint.close()))
    },
  }
}

function recall(name: string, known: UpstreamKnowledge, knowledge: UpstreamKnowledge): void {
  for (const member of ['healths', 'ranges', 'history', 'examinedAt'] as const) {
    const value = known[member].get(name)
    if (value !== undefined) (knowledge[member] as Map<string, unknown>).set(name, value)
  }
}

/** Creates the health of an upstream that was not asked. `probe`: asks for a probe in so many ms. */
export function createKeptHealth(name: string, probe: KeptHealth['probe']): KeptHealth {
  const kept: KeptHealth = {
    health: createUpstreamHealth({ name, onProbeDue: (health, inMs) => kept.probe(health, inMs) }),
    probe,
  }
  return kept
}
