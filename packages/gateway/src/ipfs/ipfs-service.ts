import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Project } from '@wayleave/auth'
import type { IpfsProject, IpfsRequest, PinLedger } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { IpfsConfig, ProjectConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { Probe } from '../probe.ts'
import { openBackend } from './open-backend.ts'

export interface IpfsServiceOptions {
  readonly config: IpfsConfig
  readonly dataDir: string | undefined
  readonly ledger: PinLedger
  readonly projects: readonly ProjectConfig[]
  readonly clock: Clock
  readonly log: Log
}

/** The IPFS API (Spec §4.12) below authentication. */
export interface IpfsService {
  /** Answers a request of a project. `headers`: those that every answer has. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    project: Project,
    headers: Readonly<Record<string, string>>,
  ): void
  readonly probe: Probe
  close(): Promise<void>
}

/** How long a backend may take to say that it is there, in ms. */
const probeTimeoutMs = 2_000
const defaultCollectEveryMs = 3_600_000
/** How long calls may take to end after their connections, in ms. */
const settleMs = 5_000

/** Opens the backend; where nobody asks for the IPFS API, none of its code loads. @throws ConfigError */
export async function createIpfsService(options: IpfsServiceOptions): Promise<IpfsService> {
  const { config, ledger, clock, log } = options
  const [{ createIpfsHandler, createIpfsListener }, { startCollector }] = await Promise.all([
    import('@wayleave/ipfs-http/server'),
    import('./collector.ts'),
  ])
  const backend = await openBackend(config, options.dataDir, clock)
  const { maxRequestBytes, stallMs } = config
  const bounds = { ...(maxRequestBytes && { maxRequestBytes }), ...(stallMs && { stallMs }), clock }
  const onError = (err: unknown, { traceId, path, project }: IpfsRequest): void =>
    log.error({ traceId, path, project: project.id, err }, 'a call of the IPFS API failed')
  const listener = createIpfsListener(createIpfsHandler({ backend, ledger, ...bounds, onError }), bounds)
  const serving = new Set<Promise<void>>()
  const everyMs = (config.backend === 'local' ? config.collectEveryMs : undefined) ?? defaultCollectEveryMs
  const stopCollecting = startCollector({ backend, ledger, everyMs, clock, log })
  const known = new Map(options.projects.map((project) => [project.name, ipfsProjectOf(project)]))

  /** Calls whose connections have ended still charge what they moved and take back what they pinned. */
  function settled(): Promise<unknown> {
    return new Promise((resolve) => {
      const stop = clock.after(settleMs, () => resolve(undefined))
      void Promise.all(serving).then(resolve).finally(stop)
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
      serving.add(served)
      void served.finally(() => serving.delete(served))
    },
    probe,
    async close() {
      await stopCollecting()
      await settled()
      await backend.close()
    },
  }
}

function ipfsProjectOf({ name, billingCard = true, ipfs = {} }: ProjectConfig): IpfsProject {
  const { storedBytes, uploadBytes, downloadBytes } = ipfs
  return {
    id: name,
    hasBillingCard: billingCard,
    quota: {
      storedBytes: storedBytes === undefined ? undefined : BigInt(storedBytes),
      uploadBytes: uploadBytes === undefined ? undefined : BigInt(uploadBytes),
      downloadBytes: downloadBytes === undefined ? undefined : BigInt(downloadBytes),
    },
  }
}

/** Of another key store than the configuration. */
function unbounded(id: string): IpfsProject {
  return { id, hasBillingCard: true, quota: {} }
}
