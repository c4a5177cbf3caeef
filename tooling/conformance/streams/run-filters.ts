import { setTimeout as sleep } from 'node:timers/promises'
import type { ClockNodes } from './chain/clock-nodes.ts'
import type { OpenStreamClient } from './clients/stream-client.ts'
import { createRecorder, type Figures, readTruth } from './figures.ts'
import { startGateway } from './gateway.ts'
import { hurtInTurns } from './hurt.ts'

export interface RunFiltersOptions {
  readonly chain: ClockNodes
  /** Clients that make filters and poll them. */
  readonly clients: readonly { readonly name: string; readonly hasHeads: boolean; readonly open: OpenStreamClient }[]
  /** Before the restart of the gateway, and after it again. */
  readonly lengthMs: number
  readonly everyMs: number
  readonly verify: string
  readonly folder: string
  readonly signal: AbortSignal
  readonly report: (line: string) => void
}

const downMs = 3_000
/** Time in which the last changes are polled, in ms. */
const settleMs = 5_000

/** Stock clients poll filters over HTTP while nodes are killed and paused, and the gateway is restarted once with its store. */
export async function runFilters(options: RunFiltersOptions): Promise<readonly Figures[]> {
  const { chain, lengthMs, everyMs, verify, folder, signal, report } = options
  await using gateway = await startGateway({ chain, verify, folder })
  await using clients = new AsyncDisposableStack()
  const { url, ws } = gateway
  const { chainId, filter } = chain
  const recorders = await Promise.all(
    options.clients.map(async ({ name, hasHeads, open }) => {
      const recorder = createRecorder(() => performance.now())
      clients.use(await open({ url, ws, chainId, filter }, recorder.reported))
      return { name, hasHeads, recorder }
    }),
  )
  // A client in another process makes its filter a little later.
  await sleep(settleMs)
  const from = chain.height() + 2
  const hurt = (): Promise<number> => hurtInTurns({ chain, lengthMs, everyMs, signal, onTurn: report })
  await hurt()
  report(`block ${chain.height()}: the gateway ends`)
  await gateway.restart(downMs)
  report(`block ${chain.height()}: the gateway runs again`)
  await hurt()
  const to = chain.height()
  await sleep(settleMs)
  for (const { recorder } of recorders) recorder.end()
  const truth = await readTruth(chain, from, to)
  return recorders.map(({ name, hasHeads, recorder }) => recorder.figures(name, truth, { hasHeads }))
}
