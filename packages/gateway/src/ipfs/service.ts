import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Project } from '@wayleave/auth'
import type { IpfsError } from '@wayleave/ipfs-http'
import {
  createIpfsHandler,
  createIpfsListener,
  type IpfsBackend,
  type IpfsProject,
  type IpfsRequest,
  type PinLedger,
} from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import { ConfigError } from '../config/check.ts'
import type { IpfsConfig, ProjectConfig } from '../config/config.ts'
import type { Probe } from '../ops/health.ts'
import { errorClass, type Log, told } from '../ops/log.ts'
import { startCollector } from './collector.ts'

export interface IpfsServiceOptions {
  readonly config: IpfsConfig
  readonly dataDir: string | undefined
  readonly ledger: PinLedger
  readonly projects: readonly (ProjectConfig & { readonly id: string })[]
  readonly clock: Clock
  readonly log: Log
}

/** The IPFS API (Spec §4.12) below authentication. */
export interface IpfsService {
  /** Answers a request of a project; every answer gets `headers`. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    project: Project,
    headers: Readonly<Record<string, string>>,
  ): void
  readonly probe: Probe
  close(): Promise<void>
}

/** How long a backend may take to answer a probe, in ms. */
const probeTimeoutMs = 2_000
const defaultCollectEveryMs = 3_600_000
/** How long calls may take to end after their connections, in ms. */
const settleMs = 5_000

/** Opens the backend and starts to collect what no project pins. @throws ConfigError */
export async function createIpfsService(options: IpfsServiceOptions): Promise<IpfsService> {
  const { config, ledger, clock, log } = options
  const backend = await openBackend(config, options.dataDir, clock)
  const { maxRequestBytes, stallMs } = config
  const bounds = { ...(maxRequestBytes && { maxRequestBytes }), ...(stallMs && { stallMs }), clock }
  function onError(err: unknown, { traceId, path, project }: IpfsRequest): void {
    const fields = { traceId, path: told(path), project: project.id, err }
    log.repeats.error(['ipfs', errorClass(err)], fields, 'a call of the IPFS API failed')
  }
  const listener = createIpfsListener(createIpfsHandler({ backend, ledger, ...bounds, onError }), bounds)
  const running = new Set<Promise<void>>()
  const everyMs = (config.backend === 'local' ? config.collectEveryMs : undefined) ?? defaultCollectEveryMs
  const stopCollecting = startCollector({ backend, ledger, everyMs, clock, log })
  const known = new Map(options.projects.map((project) => [project.id, ipfsProjectOf(project)]))

  /** Waits for calls whose connections have ended: they still charge what they moved and take back what they pinned. */
  function settled(): Promise<unknown> {
    return new Promise((resolve) => {
      const stop = clock.after(settleMs, () => resolve(undefined))
      void Promise.all(running).then(resolve).finally(stop)
    })
  }

  async function probe(): ReturnType<Probe> {
    const leaving = new AbortController()
    const stop = clock.after(probeTimeoutMs, () => leaving.abort())
    try {
      await backend.version({ signal: leaving.signal })
      return []
    } catch {
      return [{ endpoint: backend.name, reason: 'the backend does not answer' }]
    } finally {
      stop()
    }
  }

  return {
    serve(request, response, project, headers) {
      const served = listener(request, response, known.get(project.id) ?? unbounded(project.id), headers)
      running.add(served)
      void served.finally(() => running.delete(served))
    },
    probe,
    async close() {
      await stopCollecting()
      await settled()
      await backend.close()
    },
  }
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
async function openBackend(config: IpfsConfig, dataDir: string | undefined, clock: Clock): Promise<IpfsBackend> {
  if (config.backend === 'kubo') {
    const { createKuboBackend } = await import('@wayleave/ipfs-http/kubo')
    return createKuboBackend({ url: config.url, clock })
  }
  const { createLocalBackend } = await import('@wayleave/ipfs-http/local')
  const { gateways = [], direct = false } = config
  // The check of the configuration makes sure that one of them is given.
  const dir = config.dir ?? join(dataDir ?? '.', 'ipfs')
  try {
    return await createLocalBackend({ dir, gateways, direct, clock })
  } catch (thrown) {
    if ((thrown as IpfsError).name !== 'IpfsError') throw thrown
    const got = `one that cannot be used: ${(thrown as IpfsError).message}`
    throw new ConfigError([{ path: config.dir === undefined ? 'dataDir' : 'ipfs.dir', expected: 'a folder', got }])
  }
}
