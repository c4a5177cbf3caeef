import { createLog, type Config, realSurroundings } from '@wayleave/gateway'
import { createByteBudget } from '@wayleave/http-server'
import { limitsOf } from '@wayleave/gateway/internal/config/limits'
import { type Caller, GatewayContext } from '@wayleave/gateway/internal/context/context'
import { openCache } from '@wayleave/gateway/internal/answers/open-cache'
import { openNetworks } from '@wayleave/gateway/internal/rpc/networks'
import { createMetrics } from '@wayleave/gateway/internal/telemetry/metrics'
import { createCallRecorder } from '@wayleave/gateway/internal/trace/recorder'
import { createTracer } from '@wayleave/gateway/internal/trace/tracer'
import { type HttpPort, systemClock } from '@wayleave/jsonrpc-core'
import { createPrices } from '@wayleave/metering'
import { createTurns } from '@wayleave/upstream'
import { firstId, printRequest, smallCall } from './calls.ts'
import { BenchError } from './error.ts'
import { type Stage, wholeWay } from './time-stages.ts'

const memoryBytes = 1_000_000_000

/** A network as the gateway opens it, over a node in this process. */
export interface WholeWay extends AsyncDisposable {
  /** A small call that no cache answers, from its body to its reply: all between the two sides of HTTP, with every stage on. */
  readonly stage: Stage
}

/** Opens the network, and waits until it knows the chain of its node. */
export async function openWholeWay(caller: Caller): Promise<WholeWay> {
  const { nextTurn, random, newTraceId, newFilterId } = realSurroundings
  const clock = systemClock
  const config: Config = {
    networks: { [caller.network]: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1'] } },
  }
  const log = createLog({ level: 'silent' })
  const limits = limitsOf(config, memoryBytes)
  const turns = createTurns({ nextTurn })
  const metrics = createMetrics()
  const cache = await openCache(config, memoryBytes, { metrics, clock, log })
  const [network] = await openNetworks(config, {
    limits,
    budget: createByteBudget({ turns, capacity: limits.maxHeldBytes, onRefused() {} }),
    turns,
    rollupNodes: {},
    metrics,
    cache,
    clock,
    nextTurn,
    random,
    newFilterId,
    noteDenial() {},
    metering: { prices: createPrices() },
    tracing: {
      recorder: createCallRecorder({ clock }),
      tracer: createTracer({ clock, random, newTraceId, log, onDropped() {}, fetch }),
    },
    log,
    openPort: () => ({ http: answerAtOnce, renew() {}, close: async () => {} }),
  })
  let id = firstId
  const ask = async (): Promise<string> => {
    const init = { clock, deadline: clock.now() + 30_000, acceptStream: true }
    const context = new GatewayContext(init, caller)
    const { body } = await network!.server(Buffer.from(printRequest(smallCall, ++id)), context)
    context.release()
    return body as string
  }
  if (!(await ask()).includes('"result"')) throw new BenchError('subject', 'the whole way gives no result')
  return {
    stage: { name: wholeWay, allowanceMicros: 60, isAside: true, run: ask },
    async [Symbol.asyncDispose]() {
      await network!.close()
      await cache?.close()
    },
  }
}

/** A block each 12 s, as a head that stands still is none to keep answers at. */
const blockMs = 12_000

function printHead(): string {
  const number = Math.floor(systemClock.date() / blockMs)
  const hash = (of: number): string => `0x${of.toString(16).padStart(64, '0')}`
  const timestamp = Math.floor((number * blockMs) / 1_000)
  return JSON.stringify({
    number: `0x${number.toString(16)}`,
    hash: hash(number),
    parentHash: hash(number - 1),
    timestamp: `0x${timestamp.toString(16)}`,
  })
}

/** The results of the gateway's own questions; any other call has that of the small one. */
const results: Readonly<Record<string, () => string>> = {
  eth_chainId: () => '"0x1"',
  eth_getBlockByNumber: printHead,
  eth_syncing: () => 'false',
}
const smallResult = smallCall.tail.toString('latin1').slice(0, -1)
const headers = { get: () => null }

/** A node that answers in the same turn. */
const answerAtOnce: HttpPort = async ({ body }) => {
  const [, id, method] = /"id":(\d+),"method":"(\w+)"/.exec(body as string)!
  const answer = `{"jsonrpc":"2.0","id":${id},"result":${results[method!]?.() ?? smallResult}}`
  return { status: 200, headers, body: [Buffer.from(answer, 'latin1')] }
}
