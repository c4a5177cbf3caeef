import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@wayleave/jsonrpc-core'
import { asWritten, type NetworkConfig, type PinnedNetwork } from '@wayleave/network/config'
import type { Log } from '@wayleave/telemetry'
import { ConfigError, type ConfigProblem } from '../config/check.ts'
import type { Config } from '../config/config.ts'
import { isSameChain, knownChains } from '../config/known-chains.ts'
import { pause } from '../waits.ts'
import { askChain, type ReportedChain } from './ask-chain.ts'
import { type ChainPins, readChainPins, writeChainPins } from './chain-file.ts'
import { chainIdPath, type PinnedConfig } from './pinned-config.ts'

/** A configuration whose chains are all known. */
export interface PinnedChains {
  readonly config: PinnedConfig
  /** The networks that name no chain: whether their nodes were asked for it just now, or told it before. */
  readonly sources: Readonly<Record<string, ChainSource>>
  /** Keeps the chains that nodes told, in memory and in `dataDir`; those of other networks are forgotten. Never rejects: the log tells a failure. */
  keep(): Promise<void>
}

/** When the nodes of a network told its chain: at this start or reload, or earlier. */
export type ChainSource = 'asked' | 'kept'

export interface ChainPinsOptions {
  /** The folder of the file of pins. Undefined: they end with the process. */
  readonly dataDir: string | undefined
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Default: all upstreams are asked over the network. */
  readonly ask?: (network: NetworkConfig, signal: AbortSignal | undefined) => Promise<ReportedChain>
}

/** Finds the chain of each network that names none: it is asked once, and kept. */
export interface ChainPinner {
  /**
   * Asks the nodes of networks whose chain is neither written nor kept, again for `patienceMs` while none of a network answers.
   * @throws ConfigError where none did, which is temporary, and where they belong to several chains
   */
  pin(config: Config, patienceMs: number, signal?: AbortSignal): Promise<PinnedChains>
}

/** Longest wait for a node's answer, in ms. */
const answerMs = 3_000
/** Time between two questions to nodes that did not answer, in ms. */
const askAgainMs = 500

/** Opens the pins of a data folder. @throws ConfigError where their file cannot be used */
export async function openChainPinner(options: ChainPinsOptions): Promise<ChainPinner> {
  const { dataDir, clock, log } = options
  const ask: NonNullable<ChainPinsOptions['ask']> =
    options.ask ?? ((network, signal) => askChain(network, { clock, timeoutMs: answerMs, signal }))
  let kept: ChainPins = dataDir === undefined ? new Map() : await readChainPins(dataDir)

  /** Asks until a node answers, or time is over. */
  async function askPatiently(
    slug: string,
    network: NetworkConfig,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<ReportedChain> {
    for (let isReported = false; ; isReported = true) {
      const reported = await ask(network, signal)
      if (!('fault' in reported) || signal?.aborted === true || clock.now() + askAgainMs > until) return reported
      if (!isReported) log.warn({ network: slug }, 'no node of a network tells its chain yet, and it is asked again')
      await pause(askAgainMs, clock)
    }
  }

  async function find(
    slug: string,
    network: NetworkConfig,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const written = asWritten(slug, network)
    if (written !== undefined) return { slug, network: written }
    const known = kept.get(slug)
    const reported = known?.kind === network.kind ? known : await askPatiently(slug, network, until, signal)
    if (!('chainId' in reported)) return { slug, problem: problemOf(slug, reported), isTemporary: 'fault' in reported }
    const source = reported === known ? 'kept' : 'asked'
    return { slug, network: { ...network, chainId: reported.chainId } as PinnedNetwork, source }
  }

  return {
    async pin(config, patienceMs, signal) {
      const until = clock.now() + patienceMs
      const all = await Promise.all(
        Object.entries(config.networks).map(([slug, network]) => find(slug, network, until, signal)),
      )
      const missing = all.filter((each) => 'problem' in each)
      if (missing.length > 0) {
        const isTemporary = missing.every((each) => each.isTemporary)
        throw new ConfigError(
          missing.map(({ problem }) => problem),
          undefined,
          isTemporary,
        )
      }
      const known = all.filter((each) => 'network' in each)
      const reported = known.filter(({ source }) => source !== undefined)
      const pins = new Map(reported.map(({ slug, network: { kind, chainId } }) => [slug, { kind, chainId }]))
      return {
        config: { ...config, networks: Object.fromEntries(known.map(({ slug, network }) => [slug, network])) },
        sources: Object.fromEntries(reported.map(({ slug, source }) => [slug, source!])),
        async keep() {
          for (const { slug, network, source } of reported) if (source === 'asked') reportLog(slug, network.chainId)
          const isSame = isDeepStrictEqual(pins, kept)
          kept = pins
          if (dataDir === undefined || isSame) return
          await writeChainPins(dataDir, pins).catch((err: unknown) =>
            log.warn(
              { err },
              'the chains of networks could not be kept: their nodes are asked again at the next start',
            ),
          )
        },
      }
    },
  }

  function reportLog(network: string, chainId: number | string): void {
    log.info({ network, chainId }, 'the nodes of a network were asked for its chain')
    const usual = knownChains.get(network)
    if (usual === undefined || isSameChain(chainId, usual)) return
    log.warn({ network, chainId, usual }, 'the nodes of a network are of another chain than its name says')
  }
}

/** A network with its chain, and when its nodes told it, if it is not written; or why there is none. */
type Found =
  | { readonly slug: string; readonly network: PinnedNetwork; readonly source?: ChainSource }
  | { readonly slug: string; readonly problem: ConfigProblem; readonly isTemporary: boolean }

function problemOf(slug: string, reported: Exclude<ReportedChain, { readonly chainId: unknown }>): ConfigProblem {
  const path = chainIdPath(slug)
  if ('conflict' in reported) {
    return { path, expected: 'the chain that is meant, as its upstreams are of several', got: reported.conflict }
  }
  return { path, expected: 'a chain id, or an upstream that tells it', got: reported.fault }
}
