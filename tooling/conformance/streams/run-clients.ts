import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamChain } from './chain/stream-chain.ts'
import { type OpenStreamClient, wordsOf } from './clients/stream-client.ts'
import { createRecorder, type Figures, readTruth } from './figures.ts'
import { startGateway } from './gateway.ts'
import { caughtUp, hurtInTurns } from './hurt.ts'

export interface RunClientsOptions {
  readonly chain: StreamChain
  readonly clients: readonly (readonly [name: string, open: OpenStreamClient])[]
  readonly lengthMs: number
  readonly everyMs: number
  readonly verify: string
  /** A folder for the gateway's configuration, log and store. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly report: (line: string) => void
}

export interface ClientsResult {
  readonly software: string
  readonly seconds: number
  readonly misfortunes: number
  readonly blocks: number
  readonly logs: number
  readonly figures: readonly Figures[]
}

const openWithinMs = 20_000
/** Time in which clients may be told the last blocks, in ms; and after which nothing more is looked for. */
const settleMs = 15_000
const quietEndMs = 1_500

/** Has stock clients follow heads and logs through a gateway, whose nodes are killed and paused, and holds what they saw to the chain. */
export async function runClients(options: RunClientsOptions): Promise<ClientsResult> {
  const { chain, lengthMs, everyMs, verify, folder, signal, report } = options
  for (const node of chain.nodes) await caughtUp(chain, node, signal)
  await using gateway = await startGateway({ chain, verify, folder })
  await using clients = new AsyncDisposableStack()
  const { url, ws } = gateway
  const { chainId, filter } = chain
  const recorders = await Promise.all(
    options.clients.map(async ([name, open]) => {
      const recorder = createRecorder(() => performance.now())
      try {
        clients.use(await open({ url, ws, chainId, filter }, recorder.reported))
      } catch (thrown) {
        recorder.reported.failed(`did not open: ${wordsOf(thrown)}`)
      }
      return { name, recorder }
    }),
  )
  // All follow the chain before anything goes wrong.
  const openUntil = performance.now() + openWithinMs
  while (recorders.some(({ recorder }) => recorder.head() === 0) && performance.now() < openUntil) await sleep(50)
  const from = chain.height() + 2
  while (chain.height() < from) await sleep(20)
  const began = performance.now()
  for (const { recorder } of recorders) recorder.begin()
  const misfortunes = await hurtInTurns({
    chain,
    lengthMs,
    everyMs,
    signal,
    onTurn: (sentence) =>
      report(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  block ${chain.height()}  ${sentence}`),
  })
  const to = chain.height()
  const settleUntil = performance.now() + settleMs
  while (recorders.some(({ recorder }) => recorder.head() < to) && performance.now() < settleUntil) await sleep(50)
  for (const { recorder } of recorders) recorder.end()
  const seconds = (performance.now() - began) / 1_000
  // The last block's logs, and what comes twice.
  await sleep(quietEndMs)
  const truth = await readTruth(chain, from, to)
  return {
    software: chain.software,
    seconds,
    misfortunes,
    blocks: to - from + 1,
    logs: truth.logs.length,
    figures: recorders.map(({ name, recorder }) => recorder.figures(name, truth)),
  }
}
