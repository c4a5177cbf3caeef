import type { Config, GatewayOptions, RunningGateway } from '@wayleave/gateway'
import { onTestFinished } from 'vitest'
import { createSeriesMirror, type FamilyChange, type SeriesMirror } from '@wayleave/telemetry'
import { topics } from '../../src/shared-state/topics.ts'
import { startTestGateway } from '../support.ts'
import { channelPair } from './channel-pair.ts'

/** A worker in this process. */
export interface TestWorker {
  readonly gateway: RunningGateway
  /** Reads what it has counted so far, which it tells its primary alone. */
  counts(): Promise<SeriesMirror>
  /** Ends the channel, as the death of its process would. */
  leave(): void
}

export interface TestWorkers {
  readonly primary: RunningGateway
  readonly workers: readonly TestWorker[]
  /** Starts one more. */
  join(): Promise<TestWorker>
}

/** Starts a primary and workers, all in this process, over one configuration. */
export async function startWorkers(
  config: Partial<Config>,
  count = 2,
  options: GatewayOptions = {},
): Promise<TestWorkers> {
  const primary = await startTestGateway([], config, { ...options, hasWorkers: true })
  onTestFinished(() => primary.close(0))
  let joined = 0
  async function join(): Promise<TestWorker> {
    const pair = channelPair()
    const slot = ++joined
    const stop = primary.serveWorker!(pair.primary, slot)
    const reported = createSeriesMirror()
    const hear = (changes: unknown): void => reported.apply(changes as readonly FamilyChange[])
    pair.primary.serve(topics.beat, hear)
    const gateway = await startTestGateway([], config, { ...options, worker: { channel: pair.worker } })
    onTestFinished(() => gateway.close(0))
    async function counts(): Promise<SeriesMirror> {
      hear(await pair.primary.ask(topics.metrics))
      return reported
    }
    function leave(): void {
      pair.close()
      stop()
    }
    return { gateway, counts, leave }
  }
  const workers: TestWorker[] = []
  for (let i = 0; i < count; i++) workers.push(await join())
  return { primary, workers, join }
}
