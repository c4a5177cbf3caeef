import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { ClockNodes } from './chain/clock-nodes.ts'
import { type Figures, createRecorder, readTruth } from './figures.ts'
import { startGateway } from './gateway.ts'

export interface RunResumeOptions {
  /** A chain that makes a burst of blocks at `burstAt`. */
  readonly chain: ClockNodes
  /** In ms since the epoch; some seconds from the start. */
  readonly burstAt: number
  readonly verify: string
  readonly folder: string
  readonly report: (line: string) => void
}

interface Message {
  readonly id?: number
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly subscription: string; readonly result: Readonly<Record<string, unknown>> }
}

const settleMs = 30_000
/** Blocks that are told live after the missed ones. */
const liveBlocks = 3

/**
 * A plain WebSocket follows heads and logs, the gateway is restarted while many blocks are made, and the caller goes on with `fromHash`
 * of the last block that it was told.
 */
export async function runResume({ chain, burstAt, verify, folder, report }: RunResumeOptions): Promise<Figures> {
  await using gateway = await startGateway({ chain, verify, folder })
  const recorder = createRecorder(() => performance.now())
  const { reported } = recorder
  let lastHash: string | undefined

  /** Opens a connection with both subscriptions; resolves with a function that closes it. */
  async function follow(fromHash: string | undefined): Promise<() => void> {
    const socket = new WebSocket(gateway.ws)
    const opened = Promise.withResolvers<void>()
    const kinds = new Map<string, string>()
    const place = fromHash === undefined ? {} : { fromHash }
    socket.on('error', ({ message }) => reported.failed(message))
    socket.on('open', () => {
      const subscribe = (id: number, ...params: readonly unknown[]): void =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
      subscribe(1, 'newHeads', ...(fromHash === undefined ? [] : [place]))
      subscribe(2, 'logs', { ...chain.filter, ...place })
      opened.resolve()
    })
    socket.on('message', (data) => {
      const { id, result, error, params } = JSON.parse(String(data)) as Message
      if (error !== undefined) reported.failed(`${id === 1 ? 'newHeads' : 'logs'}: ${error.code} ${error.message}`)
      if (id !== undefined && result !== undefined) kinds.set(result, id === 1 ? 'newHeads' : 'logs')
      if (params === undefined) return
      const { number, hash, blockNumber, logIndex, removed } = params.result
      if (kinds.get(params.subscription) === 'newHeads') {
        lastHash = String(hash)
        reported.head(Number(number))
      } else reported.log({ block: Number(blockNumber), index: Number(logIndex), removed: removed === true })
    })
    socket.on('close', (code, reason) => reported.failed(`closed with ${code} ${String(reason)}`.trim()))
    await opened.promise
    return () => {
      socket.removeAllListeners('close')
      socket.close()
    }
  }

  await follow(undefined)
  while (recorder.head() === 0) await sleep(20)
  const from = recorder.head() + 1
  // Between two blocks, so that the last one has been told whole.
  const { chain: clock, blockMs } = chain
  const last = clock.heightAt(burstAt - 1)
  await sleep(clock.madeAt(last) + blockMs / 2 - Date.now())
  if (clock.heightAt(Date.now()) > last) throw new Error('the gateway started too late for the burst of blocks')
  report(`block ${recorder.head()}: the gateway ends`)
  await gateway.restart(Math.max(0, burstAt + blockMs - Date.now()))
  report(`block ${chain.height()}: the gateway runs again`)
  const close = await follow(lastHash)
  const to = chain.height() + liveBlocks
  const until = performance.now() + settleMs
  while ((recorder.head() < to || chain.height() < to) && performance.now() < until) await sleep(50)
  recorder.end()
  await sleep(blockMs)
  close()
  return recorder.figures('WebSocket', await readTruth(chain, from, to))
}
