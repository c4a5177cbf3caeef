import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthenticator, createMemoryKeyStore, type Project, sha256Hex } from '@wayleave/auth'
import {
  createBlockLogs,
  createChainStream,
  createFanOut,
  createResume,
  getLogs,
  type HeadUpdate,
  logCriteriaOf,
} from '@wayleave/evm-events'
import type { Header } from '@wayleave/evm-types'
import { headerHash, logsBloom } from '@wayleave/evm-verify'
import { createMemoryFeeStore } from '@wayleave/gas-fees'
import { createLog, limitsOf } from '@wayleave/gateway'
import {
  type Clock,
  createRpcServer,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { onTestFinished } from 'vitest'
import { createBlocks, createByteBudget } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import { createAdmission } from '../../../src/admission.ts'
import { describe as describeError } from '../../../src/errors.ts'
import { createGasListener } from '../../../src/gas/listener.ts'
import { createGasService } from '../../../src/gas/service.ts'
import { createHealth } from '../../../src/health/health.ts'
import { createMetrics } from '../../../src/telemetry/metrics.ts'
import { parseRoute } from '../../../src/routes/route.ts'
import type { GatewayContext } from '../../../src/context/context.ts'
import { createRpcListener } from '../../../src/rpc/listener.ts'
import type { Network } from '../../../src/served-network.ts'
import { createEventsListener } from '../../../src/rpc/sse/listener.ts'
import { createEventBlocks } from '../../../src/events/rest-of-block.ts'
import { createTimeouts } from '../../../src/config/timeouts.ts'
import { createSessions } from '../../../src/sessions.ts'
import { key, unmetered, untracedParts } from '../../support.ts'

const hex = (value: number): string => `0x${value.toString(16)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
export const mine = `0x${'1'.repeat(40)}`
const others = `0x${'2'.repeat(40)}`

export interface Block {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Addresses of its logs. */
  readonly logs: readonly string[]
  readonly header: Header
}

/** A header as a node tells it, but for its hash. `made`: tells blocks apart that are alike. */
function headerOf({ number, parentHash, logs }: Pick<Block, 'number' | 'parentHash' | 'logs'>, made: number): Header {
  const unplaced = logsOf({ number, hash: word(0), logs })
  return {
    number: hex(number),
    hash: null,
    parentHash,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: mine,
    stateRoot: word(0),
    transactionsRoot: word(1),
    receiptsRoot: word(1),
    logsBloom: logsBloom(unplaced as never),
    difficulty: '0x1',
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    timestamp: hex(made),
    extraData: '0x',
    mixHash: word(0),
    nonce: '0x0000000000000000',
  } as Header
}

/** A chain that its test makes longer or replaces, from block 100 on. */
export function createChain() {
  const blocks = new Map<string, Block>()
  const listeners = new Set<(update: HeadUpdate) => void>()
  let made = 0
  let head = add(100, word(0xff), [])

  function add(number: number, parentHash: string, logs: readonly string[]): Block {
    const header = headerOf({ number, parentHash, logs }, ++made)
    const block = { number, hash: headerHash(header), parentHash, logs, header }
    blocks.set(block.hash, block)
    return block
  }
  const report = (): void => {
    for (const listener of listeners) listener({ kind: 'new', at: { number: head.number, hash: head.hash } })
  }
  function upTo(hash: string): Block[] {
    const chain: Block[] = []
    for (let at = blocks.get(hash); at !== undefined; at = blocks.get(at.parentHash)) chain.unshift(at)
    return chain
  }
  return {
    get head() {
      return head
    },
    watch(listener: (update: HeadUpdate) => void) {
      const own = (update: HeadUpdate): void => listener(update)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    get watchers() {
      return listeners.size
    },
    at: (hash: string) => blocks.get(hash),
    canonical: () => upTo(head.hash),
    /** Adds a block with logs of mine and of others in turn, `count` of mine. */
    grow(count: number): Block {
      head = add(head.number + 1, head.hash, Array.from({ length: count }, () => [mine, others]).flat())
      report()
      return head
    },
    /** Replaces `depth` blocks by one more. */
    reorg(depth: number, count = 1): void {
      for (let i = 0; i < depth; i++) head = blocks.get(head.parentHash)!
      for (let i = 0; i <= depth; i++) {
        head = add(head.number + 1, head.hash, Array.from({ length: count }, () => [mine, others]).flat())
      }
      report()
    },
  }
}

export type Chain = ReturnType<typeof createChain>

/** A log as it is told, as far as the tests look at it. */
export interface ReportedLog {
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

function logsOf({
  number,
  hash,
  logs,
}: Pick<Block, 'number' | 'hash' | 'logs'>): (ReportedLog & { readonly address: string })[] {
  return logs.map((address, i) => ({
    address,
    topics: [word(i)],
    data: '0x',
    blockNumber: hex(number),
    blockHash: hash,
    transactionHash: word(2),
    transactionIndex: '0x0',
    logIndex: hex(i),
    removed: false,
  }))
}

/** The logs of mine on the chain, above a height. */
export function myLogs(chain: Chain, above = 100): ReportedLog[] {
  const blocks = chain.canonical().filter(({ number }) => number > above)
  return blocks.flatMap(logsOf).filter(({ address }) => address === mine)
}

type Query = { blockHash?: string; fromBlock?: string; toBlock?: string; address?: string | string[] }

function answerOf(chain: Chain, method: string, [first]: readonly [string & Query]): RpcResponse {
  if (method === 'eth_getLogs') {
    const { blockHash, fromBlock, toBlock } = first
    const block = blockHash === undefined ? undefined : chain.at(blockHash)
    if (blockHash !== undefined && block === undefined) return { error: { code: -32000, message: 'unknown block' } }
    const inRange = ({ number }: Block): boolean => number >= Number(fromBlock) && number <= Number(toBlock)
    const blocks = block === undefined ? chain.canonical().filter(inRange) : [block]
    const wanted = first.address === undefined ? undefined : [first.address].flat()
    const logs = blocks.flatMap(logsOf).filter(({ address }) => wanted?.includes(address) ?? true)
    return { result: rawJsonFromValue(logs) }
  }
  if (method === 'eth_getBlockReceipts') return { error: { code: -32601, message: 'not here' } }
  const named = first === 'latest' ? chain.head : chain.at(first)
  const block = named ?? chain.canonical().find(({ number }) => hex(number) === first)
  if (block === undefined) return { result: rawJsonFromText('null') }
  return {
    result: rawJsonFromValue({ ...block.header, hash: block.hash, size: '0x1', transactions: [word(2)], uncles: [] }),
  }
}

/** A network whose subscriptions are made from a chain. */
export function createNetwork(chain: Chain, metrics = createMetrics()) {
  const asked: string[] = []
  const state = {
    /** Answers a question otherwise. */
    fault: (_method: string, _params: string): RpcResponse | undefined => undefined,
    /** Rejects a subscription. */
    refuse: (): RpcError | undefined => undefined,
    /** Ends each subscription. */
    ends: new Set<(why: RpcError) => void>(),
  }
  const nodes: RpcHandler = async ({ method, params }) => {
    asked.push(`${method} ${params?.text() ?? ''}`)
    return state.fault(method, params?.text() ?? '') ?? answerOf(chain, method, params?.value() as never)
  }
  const clock = systemClock
  const stream = createChainStream({ source: chain, ask: nodes, clock })
  const blockLogs = createBlockLogs({ ask: nodes, clock })
  const fanOut = createFanOut({ stream, blockLogs, clock })
  const headOf = () => chain.head
  const ask = getLogs({ clock, headOf })(nodes)
  const resume = createResume({ stream, fanOut, blockLogs, ask, headOf, clock })
  let subscriptions = 0
  const calls: RpcHandler<GatewayContext> = async ({ method, params }, context) => {
    const refusal = state.refuse()
    if (refusal !== undefined) throw refusal
    if (method !== 'eth_subscribe') return { error: { code: -32601, message: 'not here' } }
    const [kind, options = {}] = params!.value() as [string, { fromBlock?: string; fromHash?: string }?]
    const { fromBlock, fromHash } = options
    const from = {
      ...(fromBlock !== undefined && { fromBlock: Number(fromBlock) }),
      ...(fromHash !== undefined && { fromHash }),
    }
    let point: Awaited<ReturnType<typeof resume.find>> | undefined
    try {
      point = Object.keys(from).length === 0 ? undefined : await resume.find(from, context)
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.rpc !== undefined) return { error: thrown.rpc }
      throw thrown
    }
    const id = hex(++subscriptions)
    return {
      result: rawJsonFromValue(id),
      subscription: {
        id,
        open(sink) {
          const end = (why: RpcError): void => sink.end(why)
          state.ends.add(end)
          const criteria = logCriteriaOf(options)
          const leave =
            kind === 'newHeads'
              ? point === undefined
                ? fanOut.newHeads(sink)
                : resume.newHeads(point, sink)
              : point === undefined
                ? fanOut.logs(criteria, sink)
                : resume.logs(criteria, point, sink)
          return () => {
            state.ends.delete(end)
            leave()
          }
        },
      },
    }
  }
  const network: Network = {
    name: 'mainnet',
    server: createRpcServer<GatewayContext>(calls, { describe: describeError }),
    events: createEventBlocks(nodes, undefined, clock),
    metrics: metrics.network('mainnet'),
    place: { network: 'mainnet', kind: 'evm', methods: new Set(['eth_subscribe']) },
    probe: () => ({ serves: Promise.resolve(true), all: Promise.resolve([]) }),
    apiVersions: undefined,
    cordon: () => false,
    upstreams: [],
    showsUpstream: () => false,
    rejected: () => {},
  }
  return { network, nodes, asked, state, fanOut }
}

export interface ServerOptions {
  readonly clock?: Clock
  readonly maxHeldBytes?: number
  readonly webSocketIdleMs?: number
  readonly projects?: readonly Project[]
}

/** Serves networks over HTTP as the gateway does; ends with its test. */
export async function startServer(chain: Chain, options: ServerOptions = {}) {
  const { clock = systemClock } = options
  const metrics = createMetrics()
  const made = createNetwork(chain, metrics)
  const { network } = made
  const quiet: Network = { ...network, name: 'quiet', events: undefined }
  const starknet: Network = { ...network, name: 'starknet', place: { ...network.place, methods: new Set() } }
  const log = createLog({ level: 'silent' })
  const limits = limitsOf({
    limits: {
      ...(options.maxHeldBytes !== undefined && { maxHeldBytes: options.maxHeldBytes }),
      ...(options.webSocketIdleMs !== undefined && { webSocketIdleMs: options.webSocketIdleMs }),
    },
  })
  const budget = createByteBudget({
    turns: createTurns({ nextTurn: (run) => void setImmediate(run) }),
    capacity: limits.maxHeldBytes,
    onRefused() {},
  })
  const keys = createMemoryKeyStore([{ id: 'p', name: 'p', keys: [{ key }] }])
  const sessions = createSessions(clock)
  const shared = {
    admission: createAdmission({
      networks: new Map([network, quiet, starknet].map((each) => [each.name, each])),
      defaultNetwork: 'mainnet',
      absentNetworks: new Map(),
      authenticate: createAuthenticator({ keys }),
      route: (path, host) => parseRoute(path, host, () => undefined),
      sha256: sha256Hex,
      onlyLocal: false,
      trustedProxies: [],
      noteDenial() {},
      noteRefusal() {},
    }),
    sessions,
    ...untracedParts(),
    metering: unmetered,
    limits,
    timeouts: createTimeouts({ networks: {} }, limits),
    compression: { isOn: false },
    budget,
    clock,
    log,
    metrics,
  }
  const service = createGasService({
    networks: [],
    denyMethods: [],
    store: createMemoryFeeStore(),
    clock,
    log,
    maxStreams: 1,
    totalTimeoutMs: 1_000,
  })
  const events = createEventsListener(shared)
  const listener = createRpcListener(
    {
      ...shared,
      health: createHealth({ networks: [], ipfs: undefined, store: undefined, phase: () => 'running', metrics, clock }),
      newTraceId: () => '00000000000040008000000000000000',
      nextTurn: (run) => void setImmediate(run),
      blocks: createBlocks(),
      onPassed: () => {},
      gas: createGasListener({ ...shared, service }),
    },
    events,
  )
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { ...made, url: `${base}/v3/${key}/events`, base, server, events, sessions, budget, metrics }
}

/** An event as a browser's EventSource gives it. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
}

/** A reader of server-sent events by the standard's words: a block without data moves the id and is no event. */
export interface EventReader {
  readonly response: Response
  readonly events: ServerEvent[]
  readonly comments: number
  readonly lastEventId: string
  readonly retryMs: number | undefined
  /** Settles when the stream has ended or was left. */
  readonly ended: Promise<void>
  leave(): void
}

/** Opens a stream. `take` false: leaves at once; what has come behind that event counts as never received. */
export async function openEvents(
  url: string,
  lastEventId?: string,
  take: (event: ServerEvent) => boolean = () => true,
): Promise<EventReader> {
  const leaving = new AbortController()
  const headers = { ...(lastEventId !== undefined && lastEventId !== '' && { 'Last-Event-ID': lastEventId }) }
  const response = await fetch(url, { headers, signal: leaving.signal })
  const state = { events: [] as ServerEvent[], comments: 0, lastEventId: lastEventId ?? '', isOver: false }
  let retryMs: number | undefined
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0 && !state.isOver; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const fields = block.split('\n').map((line) => [line.split(':', 1)[0]!, line.replace(/^[^:]*: ?/, '')])
        let type = 'message'
        const data: string[] = []
        for (const [name, value] of fields as [string, string][]) {
          if (name === '') state.comments++
          else if (name === 'id') state.lastEventId = value
          else if (name === 'event') type = value
          else if (name === 'retry') retryMs = Number(value)
          else if (name === 'data') data.push(value)
        }
        if (data.length === 0) continue
        const event = { type, data: data.join('\n'), lastEventId: state.lastEventId }
        state.events.push(event)
        if (!take(event)) {
          state.isOver = true
          leaving.abort()
        }
      }
    }
  }
  const ended = read().catch(() => {})
  return {
    response,
    events: state.events,
    get comments() {
      return state.comments
    },
    get lastEventId() {
      return state.lastEventId
    },
    get retryMs() {
      return retryMs
    },
    ended,
    leave: () => leaving.abort(),
  }
}
