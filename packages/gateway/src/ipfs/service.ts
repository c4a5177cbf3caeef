import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Project } from '@wayleave/auth'
import type { IpfsError } from '@wayleave/ipfs-http'
import {
  collectAll,
  createIpfsHandler,
  createIpfsListener,
  ipfsCommandOf,
  type IpfsBackend,
  type IpfsProject,
  type IpfsRequest,
  type PinLedger,
} from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import { splitCredentials, withDefaults } from '@wayleave/network/config'
import { errorClass, type Log, shortened } from '@wayleave/telemetry'
import { createRedactor, type EndpointState, upstreamSecrets } from '@wayleave/network'
import { ConfigError } from '../config/check.ts'
import { type IpfsConfig, ipfsDefaults } from '../config/ipfs-config.ts'
import type { ProjectConfig } from '../config/project-config.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { isDoneWithin } from '../waits.ts'
import { createCallTurns } from './call-turns.ts'
import { startHealer } from './healer.ts'
import { startCollector } from './collector.ts'
import { createVerification, type Verification } from './verification.ts'

export interface IpfsServiceOptions {
  readonly config: IpfsConfig
  readonly dataDir: string | undefined
  readonly ledger: PinLedger
  readonly projects: readonly (ProjectConfig & { readonly id: string })[]
  /** How often content that no project pins is removed, in ms. Default: every hour. */
  readonly collectEveryMs?: number | undefined
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'budgetRefused' | 'ipfsCollectionFailed'>
}

/** The IPFS API (Spec §4.12) below authentication. */
export interface IpfsService {
  /** Answers a request of a project; every answer gets `headers`. Calls `onBusy` instead where too many others run for too long. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    project: Pick<Project, 'id'>,
    headers: Readonly<Record<string, string>>,
    onBusy: () => void,
  ): void
  /** Names the command of a path; `other` where there is none. */
  commandOf(path: string): string
  /** Tells why the backend cannot serve now; empty where it can. */
  readonly probe: () => Promise<readonly EndpointState[]>
  readonly verification: Pick<Verification, 'start' | 'state'>
  /** Serves the projects of another configuration from now on. */
  adopt(projects: IpfsServiceOptions['projects']): void
  close(): Promise<void>
}

/** How often content that no project pins is removed, in ms. Want of space has it removed sooner. */
const usualCollectEveryMs = 3_600_000
/** How long a backend may take to answer a probe, in ms. */
const probeTimeoutMs = 2_000
const diskFull = 'its disk is full: it serves and unpins, and takes nothing new'
const collectionFails = 'its collection fails, and removes nothing: GET /status of the admin listener has the reason'
/** How long calls may take to end after their connections, in ms. */
const settleMs = 5_000
/** Time between answers that broke off and the collection of what they held, in ms. */
const reliefMs = 5_000

/** Opens the backend and starts to collect what no project pins. @throws ConfigError */
export async function createIpfsService(options: IpfsServiceOptions): Promise<IpfsService> {
  const { config, ledger, clock, log, metrics } = options
  const backend = await openBackend(config, options.dataDir, ledger, clock)
  const { maxRequestBytes, maxCalls, stallMs, maxUnpinnedBytes, minFreeBytes } = withDefaults(ipfsDefaults, config)
  const pace = { everyMs: options.collectEveryMs ?? usualCollectEveryMs, maxUnpinnedBytes, minFreeBytes }
  const bounds = { maxRequestBytes, stallMs, clock }
  function onError(err: unknown, { traceId, path, project }: IpfsRequest): void {
    const fields = { traceId, path: shortened(path), project: project.id, err }
    log.repeats.error(['ipfs', errorClass(err)], fields, 'a call of the IPFS API failed')
  }
  const handler = createIpfsHandler({ backend, ledger, ...bounds, onError })
  const listener = createIpfsListener(handler, bounds)
  const running = new Set<Promise<void>>()
  let stopRelief: (() => void) | undefined
  const turns = createCallTurns({ maxCalls, waitMs: stallMs, clock })
  const collector = startCollector({ backend, ledger, ...pace, clock, log, metrics })
  const verification = createVerification({ backend, ledger, clock, log })
  const stopHealing = startHealer({ backend, ledger, clock, log })
  let known = projectsOf(options.projects)

  /** Serves a call when it is its turn. Until then, its body is not read. */
  async function serveInTurn(
    request: IncomingMessage,
    response: ServerResponse,
    project: IpfsProject,
    headers: Readonly<Record<string, string>>,
    onBusy: () => void,
  ): Promise<void> {
    const leaving = new AbortController()
    const leave = (): void => leaving.abort()
    response.on('close', leave)
    // An answer that waits behind another one gets no event when its connection goes.
    request.socket.on('close', leave)
    const endTurn = await turns.take(project.id, leaving.signal)
    response.off('close', leave)
    request.socket.off('close', leave)
    if (endTurn !== undefined) {
      await listener(request, response, project, headers).finally(endTurn)
      if (!response.writableFinished) relieve()
      return
    }
    if (leaving.signal.aborted) return
    metrics.budgetRefused('ipfs.maxCalls', project.id)
    onBusy()
  }

  /** Collects what readers held who were cut or left: it has grown old meanwhile, and nothing else may make V8 look at it for long. */
  function relieve(): void {
    stopRelief ??= clock.after(reliefMs, () => {
      stopRelief = undefined
      collectAll()
    })
  }

  /** Waits for calls whose connections have ended: they still charge what they moved and take back what they pinned. */
  const settled = (): Promise<boolean> => isDoneWithin(settleMs, Promise.all(running), clock)

  async function probe(): Promise<readonly EndpointState[]> {
    const leaving = new AbortController()
    const stop = clock.after(probeTimeoutMs, () => leaving.abort())
    try {
      await backend.version({ signal: leaving.signal })
      const isFull = (await backend.diskUse?.())?.isFull === true
      const collection = collector.failure()
      const limits = [...(isFull ? [diskFull] : []), ...(collection === undefined ? [] : [collectionFails])]
      if (limits.length === 0) return []
      return [{ endpoint: backend.name, reason: undefined, limit: limits.join('; '), details: { collection } }]
    } catch {
      return [{ endpoint: backend.name, reason: 'the backend does not answer' }]
    } finally {
      stop()
    }
  }

  return {
    serve(request, response, project, headers, onBusy) {
      const served = serveInTurn(request, response, known.get(project.id) ?? unbounded(project.id), headers, onBusy)
      running.add(served)
      void served.finally(() => running.delete(served))
    },
    commandOf: (path) => ipfsCommandOf(path) ?? 'other',
    probe,
    verification,
    adopt(projects) {
      known = projectsOf(projects)
    },
    async close() {
      await Promise.all([collector.close(), verification.close(), stopHealing()])
      await settled()
      stopRelief?.()
      await handler.close()
      await backend.close()
    },
  }
}

function projectsOf(projects: IpfsServiceOptions['projects']): ReadonlyMap<string, IpfsProject> {
  return new Map(projects.map((project) => [project.id, ipfsProjectOf(project)]))
}

function ipfsProjectOf({ id, billingCard = true, ipfs = {} }: IpfsServiceOptions['projects'][number]): IpfsProject {
  const { storedBytes, uploadBytes, downloadBytes } = ipfs
  return {
    id,
    hasBillingCard: billingCard,
    quota: {
      storedBytes: storedBytes === undefined ? undefined : BigInt(storedBytes),
      uploadBytes: uploadBytes === undefined ? undefined : BigInt(uploadBytes),
      downloadBytes: downloadBytes === undefined ? undefined : BigInt(downloadBytes),
    },
  }
}

/** A project of another key store than the configuration. */
function unbounded(id: string): IpfsProject {
  return { id, hasBillingCard: true, quota: {} }
}

/** Opens the configured backend. @throws ConfigError where it cannot be opened */
async function openBackend(
  config: IpfsConfig,
  dataDir: string | undefined,
  ledger: PinLedger,
  clock: Clock,
): Promise<IpfsBackend> {
  if (config.backend === 'kubo') {
    const { createKuboBackend } = await import('@wayleave/ipfs-http/kubo')
    const { headers } = splitCredentials(config.url)
    const redact = createRedactor(upstreamSecrets(config.url, headers))
    return createKuboBackend({ url: config.url, redact, clock })
  }
  const { createLocalBackend } = await import('@wayleave/ipfs-http/local')
  const { gateways = [] } = config
  // The check of the configuration makes sure that one of them is given.
  const dir = config.dir ?? join(dataDir ?? '.', 'ipfs')
  const path = config.dir === undefined ? 'dataDir' : 'ipfs.dir'
  const backend = await createLocalBackend({ dir, gateways, clock }).catch((thrown: IpfsError) => {
    if (thrown.name !== 'IpfsError') throw thrown
    throw new ConfigError([{ path, expected: 'a folder', got: `one that cannot be used: ${thrown.message}` }])
  })
  try {
    const bound = await ledger.bindStore(backend.store)
    if (bound !== backend.store) throw new ConfigError([{ path, ...anotherStore(bound, backend.store, dir) }])
  } catch (thrown) {
    await backend.close()
    throw thrown
  }
  return backend
}

/** Words the refusal of a folder whose store is not the one that the pins of the database are bound to. */
function anotherStore(bound: string, found: string, dir: string): { readonly expected: string; readonly got: string } {
  const file = join(dir, 'identity')
  return {
    expected: `the folder of the store ${bound}, which keeps the content of all pins in this database`,
    got:
      `${dir}, the store ${found}. With ipfs.backend: local, one process serves IPFS over a database: stop this one, give it that folder ` +
      'or a database of its own, or let all gateways use one Kubo (ipfs.backend: kubo). ' +
      `If that folder is lost for good, write its name, ${bound}, into ${file}: this store then takes its place, and content that it lacks has to be added again`,
  }
}
