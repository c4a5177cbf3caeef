import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { expect, onTestFinished } from 'vitest'
import { isRequired, missingPostgres, missingRedis, freshDatabase, startRedis } from '../replicas/servers.ts'
import { send, startTestGateway } from '../support.ts'
import { startWorkers } from '../workers/worker-gateways.ts'

export type Kind = (typeof kinds)[number]
export const kinds = ['one process', 'three workers', 'three replicas'] as const

/** Whether there are no servers for a kind here, and need not be. */
export const isMissing = (kind: Kind): boolean =>
  kind === 'three replicas' && !isRequired && (missingRedis() ?? missingPostgres()) !== undefined

/** The processes that spend a quota. */
interface Processes {
  readonly gateways: readonly Pick<RunningGateway, 'rpc' | 'ws'>[]
  /** Sums what the metric behind the alert of spent quotas counts in all of them. */
  fullMarks(): Promise<number>
}

/** Starts the processes of a kind, which end with their test. */
export async function startAs(kind: Kind, config: Partial<Config>): Promise<Processes> {
  if (kind === 'three workers') {
    const { workers } = await startWorkers(config, 3, { surroundings: realSurroundings })
    return {
      gateways: workers.map(({ gateway }) => gateway),
      async fullMarks() {
        const counts = await Promise.all(workers.map((worker) => worker.counts()))
        return sum(
          counts.map((reported) => Number(reported.of('wayleave_quota_marks_total')?.get('project\0day\x00100') ?? 0)),
        )
      },
    }
  }
  const shared = kind === 'three replicas' ? await startStores() : {}
  const gateways: RunningGateway[] = []
  for (let i = 0; i < (kind === 'three replicas' ? 3 : 1); i++) {
    const gateway = await startTestGateway([], { ...config, ...shared }, { surroundings: realSurroundings })
    onTestFinished(() => gateway.close(0))
    gateways.push(gateway)
  }
  if (kind === 'three replicas') {
    for (const { admin } of gateways) {
      await expect
        .poll(async () => JSON.parse((await send(admin, '/status')).body).limits)
        .toEqual({ state: 'ok', replicas: 3 })
    }
  }
  return {
    gateways,
    async fullMarks() {
      const texts = await Promise.all(gateways.map(async ({ admin }) => (await send(admin, '/metrics')).body))
      return sum(
        texts.map((text) => Number(/^wayleave_quota_marks_total\{.*mark="100"\} (\d+)$/m.exec(text)?.[1] ?? 0)),
      )
    },
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0)

/** The stores that replicas share. */
async function startStores(): Promise<Pick<Config, 'redis' | 'store'>> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  return { redis: redis.url, store: { postgres: await freshDatabase() } }
}
