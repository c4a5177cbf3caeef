import { type Clock, createContext, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { CacheOutcome, Compression, MemoryStore } from '@wayleave/rpc-cache'
import type { Endpoint, HeadReader } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'
import { type CacheConfig, cacheDefaults } from '../config/cache-config.ts'
import { evmSettings, type PinnedNetwork } from '../config/network-config.ts'
import type { CacheKind } from '../kinds/cache-kind.ts'
import type { CallClass } from '../kinds/method-class.ts'
import type { NetworkKind } from '../kinds/network-kind.ts'
import type { SharedAnswerCache } from './shared-answer-cache.ts'
import type { OpenEndpoint } from '../endpoints/endpoints.ts'
import type { NetworkLife } from '../life/network-life.ts'
import type { NetworkPool } from '../pool/network-pool.ts'
import type { OpenVerification } from '../life/open-verification.ts'
import { createBlockHashes } from './block-hashes.ts'
import type { FinalCheckOptions } from './final-check.ts'
import { type CacheStage, createCacheStage } from './cache-stage.ts'
import { confirmersAmong } from './confirmers.ts'
import { withHints } from '../hints/call-hints.ts'

/** The cache of the process. */
export interface OpenCache {
  readonly config: CacheConfig
  readonly store: MemoryStore
  readonly compression: Compression | undefined
  /** The answers that replicas share; undefined: none are. */
  readonly shared: SharedAnswerCache | undefined
  /** Computes the hash of an EVM header; throws for one that lacks members. */
  readonly headerHash: (block: Readonly<Record<string, unknown>>) => string
  close(): Promise<void>
}

interface NetworkCacheOptions {
  readonly name: string
  readonly config: PinnedNetwork
  readonly kind: NetworkKind
  readonly reader: HeadReader
  readonly life: Pick<NetworkLife, 'rewritten' | 'written' | 'sources'>
  readonly pool: Pick<NetworkPool, 'chain' | 'selection' | 'asking'>
  readonly endpoints: readonly OpenEndpoint[]
  readonly verification: OpenVerification | undefined
  readonly metrics: {
    /** Counts an answer of the cache: its outcome, the class of its method, and its bytes. */
    cacheAnswered(network: string, outcome: CacheOutcome, method: CallClass, bytes: number): void
  }
  readonly log: Pick<Log, 'warn'>
  readonly clock: Clock
}

/** Creates the cache of a network; undefined where none is wanted. */
export function openNetworkCache(cache: OpenCache | undefined, options: NetworkCacheOptions): CacheStage | undefined {
  const { name, config, kind, endpoints, pool, metrics, log } = options
  if (cache === undefined || config.cache === false || kind.cache === undefined) return undefined
  const keepsUnproven = cache.config.unproven ?? cacheDefaults.unproven
  const levels = [...new Set(endpoints.map(({ verify }) => verify))].toSorted()
  // Final answers outlive a reload, also those of an upstream that is gone; but not where the network would not have allowed them.
  const groups = pool.selection.candidates.map(({ endpoint, groups: own }) => `${endpoint.name} ${[...own].join(' ')}`)
  const isGrouped = pool.selection.candidates.some(({ groups: own }) => own.size > 0)
  const compared = JSON.stringify(evmSettings(config)?.consensus ?? null)
  const scope = [name, config.chainId, compared, keepsUnproven, ...levels, ...(isGrouped ? groups : [])]
  return createCacheStage({
    ...options,
    partition: JSON.stringify(scope),
    chain: pool.chain,
    cache: kind.cache,
    findConfirmer: confirmersAmong(
      pool.selection.candidates,
      (other) => pool.chain?.view.of({ name: other } as Endpoint).health === 'good',
    ),
    sources: options.life.sources,
    store: cache.store,
    compression: cache.compression,
    verified: endpoints.some(({ verify }) => verify !== 'off') ? options.verification?.extension : undefined,
    shared: cache.shared?.of(scope, pool.selection.candidates),
    hashAt: hashAsker(kind.cache, pool.asking, options.clock),
    keepsUnproven,
    isHashed: createBlockHashes({
      headerHash: cache.headerHash,
      onOdd: () =>
        log.warn(
          { network: name },
          'blocks of the chain do not hash to their names: the cache goes by the name and shape of a block',
        ),
    }),
    onOutcome: (outcome, method, bytes) => metrics.cacheAnswered(name, outcome, method, bytes),
  })
}

/** Longest wait for the hash of a block, in ms. */
const hashMs = 1_000

/** Makes the function that asks the upstreams of a network for the hash of their block at a height. */
function hashAsker(
  { blockAt, hashIn }: Pick<CacheKind, 'blockAt' | 'hashIn'>,
  ask: RpcHandler,
  clock: Clock,
): FinalCheckOptions['hashAt'] {
  return async (height) => {
    const context = createContext({ clock, timeoutMs: hashMs })
    try {
      return hashIn(await ask(withHints(blockAt(height), { isAboutChain: true }), context)) ?? undefined
    } catch {
      return undefined
    } finally {
      context.release()
    }
  }
}
