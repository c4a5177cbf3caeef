import { createFeeSource, type FeeReading, type FeeSource, type FeeStore, metamask, wayleave } from '@wayleave/gas-fees'
import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import type { GasConfig } from '../config/config.ts'
import type { Log } from '../log.ts'

/** A network as its fees are computed. */
export interface GasNetwork {
  readonly name: string
  readonly chainId: number
  readonly gas: GasConfig
  /** What the gateway asks the nodes for itself. */
  readonly nodes: RpcHandler
}

export interface GasSourcesOptions {
  readonly store: FeeStore
  readonly clock: Clock
  readonly log: Log
}

/** The source of one network, and what was told of it. */
export interface GasSource {
  /** Slugs of the networks of this chain; the first is followed. */
  readonly networks: readonly string[]
  readonly source: FeeSource
  /** How old the suggestion was when somebody asked last, in ms; undefined before there was one. Asks nobody. */
  ageMs(): number | undefined
}

const strategies = { wayleave, metamask }

/** A source for each chain, by its id in decimal. Networks may share a chain: it is followed by the first. */
export function createGasSources(
  networks: readonly GasNetwork[],
  options: GasSourcesOptions,
): ReadonlyMap<string, GasSource> {
  const byChain = new Map<string, GasNetwork[]>()
  for (const network of networks) {
    const chainId = String(network.chainId)
    byChain.set(chainId, [...(byChain.get(chainId) ?? []), network])
  }
  return new Map([...byChain].map(([chainId, alike]) => [chainId, createGasSource(alike, options)]))
}

function createGasSource(alike: readonly GasNetwork[], { store, clock, log }: GasSourcesOptions): GasSource {
  const { name, gas, nodes } = alike[0]!
  const source = createFeeSource({
    handler: nodes,
    clock,
    strategy: strategies[gas.strategy ?? 'wayleave'],
    store: { network: name, fees: store },
    maxAgeMs: gas.maxAgeMs,
    blocksOnDemand: gas.blocksOnDemand,
    // The pool has told already which endpoint failed.
    onFailure: (why) => log.debug({ network: name, code: codeOf(why) }, 'the gas fees could not be brought up to date'),
  })
  let madeAt: number | undefined
  let askedAt = 0

  function note(reading: FeeReading): FeeReading {
    askedAt = clock.now()
    if (reading.state === 'ready') madeAt = askedAt - reading.ageMs
    return reading
  }

  return {
    networks: alike.map((network) => network.name),
    source: {
      current() {
        const reading = source.current()
        return reading instanceof Promise ? reading.then(note) : note(reading)
      },
      watch: (listener) => source.watch(listener),
      close: () => source.close(),
      [Symbol.asyncDispose]: () => source.close(),
    },
    ageMs: () => (madeAt === undefined ? undefined : askedAt - madeAt),
  }
}

function codeOf(why: unknown): unknown {
  return (why as { readonly code?: unknown } | undefined)?.code
}
