import { createAccessCheck, createAuthenticator, createKeyDirectory, parseRules, printBasic } from '@wayleave/auth'
import { evmMethods } from '@wayleave/evm-types'
import { createAdmission } from '@wayleave/gateway/internal/admission'
import {
  createCallSlots,
  createCandidate,
  createFairShare,
  createHedging,
  createPool,
  createRetries,
  createSelection,
  createTurns,
  createUpstreamHealth,
} from '@wayleave/upstream'
import { createByteBudget, Holding } from '@wayleave/http-server'
import { readHead } from '@wayleave/gateway/internal/request-head'
import { networkKinds } from '@wayleave/network/internal/kinds/index'
import { composeStages, methodClassOf } from '@wayleave/network'
import { createMetrics } from '@wayleave/gateway/internal/telemetry/metrics'
import { type CallRoute, createRouteReader } from '@wayleave/gateway/internal/routes/route'
import { type Caller, GatewayContext } from '@wayleave/gateway/internal/context/context'
import { authorize } from '@wayleave/gateway/internal/rpc/stages/authorize'
import { limitBatches } from '@wayleave/gateway/internal/rpc/stages/limit-batches'
import { limitCalls } from '@wayleave/gateway/internal/rpc/stages/limit-calls'
import { meterCalls } from '@wayleave/gateway/internal/rpc/stages/meter-calls'
import { createMetering } from '@wayleave/gateway/internal/metering/metering'
import { watchCalls } from '@wayleave/gateway/internal/rpc/stages/watch-calls'
import { limitSubscriptions } from '@wayleave/gateway/internal/rpc/stages/limit-subscriptions'
import {
  coalesce,
  createHttpTransport,
  createRpcServer,
  rawJsonFromText,
  type RpcHandler,
  type RpcRequest,
  streamAnswers,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { createLimits, createPrices, createUsage } from '@wayleave/metering'
import { hash } from 'node:crypto'
import { Socket } from 'node:net'
import { createCacheStages } from './cache-stages.ts'
import { firstId, printAnswerHead, printRequest, smallCall } from './calls.ts'
import type { Stage } from './time-stages.ts'
import { createTraceStages } from './trace-stages.ts'

const key = '00112233445566778899aabbccddeeff'
const secret = 'ffeeddccbbaa99887766554433221100'
const wrappedEther = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const project = { id: 'bench', name: 'bench', requireSecret: false }
/** The caller of the stages. */
export const caller: Caller = {
  principal: { project, keyId: 'bench', address: '127.0.0.1', origin: undefined, userAgent: undefined },
  network: 'bench',
  traceId: '00000000-0000-4000-8000-000000000000',
}

/**
 * The stages of the gateway's request path in their order, each around handlers that answer at once.
 * A stage that joins the path gets its line here; allowances are about twice what a quiet machine took when it joined.
 */
export function createStages(): readonly Stage[] {
  const context = createGatewayContext()
  const request: RpcRequest = {
    method: smallCall.method,
    params: rawJsonFromText(smallCall.params(firstId)),
    notification: false,
  }
  const resultText = smallCall.tail.toString('latin1').slice(0, -1)
  const answer: RpcHandler = async () => ({ result: rawJsonFromText(resultText) })

  const route = createRouteReader(['bench'], [])
  const sha256 = (text: string): string => hash('sha256', text, 'hex')
  const directory = createKeyDirectory({
    snapshot: {
      seq: 1,
      projects: [project],
      keys: [{ id: 'bench', projectId: 'bench', digest: sha256(key), secrets: [{ id: 's', digest: sha256(secret) }] }],
    },
    onInvalid(error) {
      throw error
    },
  })
  const authenticate = createAuthenticator({ keys: directory, sha256 })
  const credentials = printBasic('', secret)
  const access = createAccessCheck<{ method: string; address: string }>({ addressesOf: (call) => [call.address] })
  const rules = parseRules({ methods: ['eth_chainId', 'eth_call'], addresses: [wrappedEther] })
  const ruled = { method: 'eth_call', address: wrappedEther }
  const metrics = createMetrics().network('bench')
  const place = { network: 'bench', kind: 'evm', methods: new Set(Object.keys(evmMethods)) }
  const network = {
    name: 'bench',
    server: createRpcServer(answer),
    metrics,
    place,
    probe: () => ({ serves: Promise.resolve(true), all: Promise.resolve([]) }),
    apiVersions: undefined,
    rejected() {},
    upstreams: [],
    showsUpstream: () => false,
    cordon: () => false,
  }
  const admission = createAdmission({
    networks: new Map([['bench', network]]),
    defaultNetwork: 'bench',
    absentNetworks: new Map(),
    authenticate,
    route,
    sha256,
    onlyLocal: false,
    trustedProxies: [],
    noteDenial() {},
    noteRefusal() {},
  })
  const headers = ['Host', '127.0.0.1:8545', 'User-Agent', 'bench', 'Content-Type', 'application/json']
  const head = readHead(headers)
  const callRoute = route(`/v3/${key}`, head.host) as CallRoute
  const source = { socket: new Socket(), traceId: 'bench' }
  const body = Buffer.from(printRequest(smallCall, firstId))
  const serve = createRpcServer(answer)
  const authorized = authorize({
    denyMethods: ['admin_*', 'personal_*', 'debug_setHead', 'engine_*'],
    addressesOf: networkKinds.evm.addressesOf,
    noteDenial() {},
  })(answer)
  // A key with a rate and a quota of a day, whose usage is counted, too. No timer flushes it.
  const plan = { perSecond: { credits: 10_000_000, burst: 1_000_000_000 }, perDay: { credits: 1e12 } }
  const metering = createMetering({
    prices: createPrices(),
    limits: createLimits({ clock: systemClock }),
    planOf: () => ({ key: plan }),
    usage: createUsage({
      clock: { ...systemClock, after: () => () => {} },
      add() {},
      flush: async () => {},
    }),
    metrics: { limited() {} },
  })
  const metered = meterCalls({ prices: metering.prices, clock: systemClock })(answer)
  const meteredContext = createGatewayContext({
    ...caller,
    metered: metering.callerOf(caller.principal, place),
  })
  // The meters of its caller are looked up with each request.
  const meterOne = (): Promise<unknown> => {
    metering.callerOf(caller.principal, place)
    return metered(request, meteredContext)
  }
  const classOf = methodClassOf(evmMethods)
  const watched = watchCalls({
    actionOf: networkKinds.evm.actionOf,
    clock: systemClock,
    open: metrics.open,
    onCall({ request: { method }, caller: { principal }, failure, ms }) {
      const { outcome, status } = failure ?? { outcome: 'ok', status: 200 }
      metrics.called({ project: principal.project.id, class: classOf(method), outcome, status, ms })
    },
  })(answer)
  const calls = createFairShare(10_000)
  const slots = createCallSlots({ clock: systemClock })
  const candidates = ['first', 'second', 'third'].map((name) =>
    createCandidate({
      endpoint: { name, handler: answer, carriesSubscriptions: false },
      health: createUpstreamHealth({ name, onProbeDue() {} }),
      slots: slots.perEndpoint,
    }),
  )
  const ask = { context, repeatable: true }
  // The pool holds a slot from the attempt to the answer; its own line counts that, too.
  const withSlot: RpcHandler = () => {
    slots.release(slots.take(candidates, ask)!, 10)
    return answered
  }
  const answered = answer(request, context)
  const turns = createTurns({ nextTurn: setImmediate })
  const budget = { capacity: 192 * 1024 * 1024, turns, onRefused() {} }
  const account = createByteBudget(budget).account('bench')
  const counted = limitCalls({ calls, onRefusedCall() {} })(
    limitBatches({ maxBatchInFlight: 120, turns })(withSlot) as RpcHandler,
  )
  // Its request, its body and its answer are counted in bytes.
  const budgeted: RpcHandler<GatewayContext> = (call, of) => {
    const holding = new Holding(account)
    holding.take(8_192)
    holding.take(6 * body.byteLength)
    holding.takeResult(100)
    holding.end()
    return counted(call, of)
  }
  const inSession = limitSubscriptions({ maxSubscriptions: 1_000 })(answer)
  const { events, logs, rules: rulesOf } = networkKinds.evm
  const subscribed = composeStages([events({ canPush: true })], answer)
  const newest = { number: 20_000_000, hash: `0x${'ab'.repeat(32)}` }
  const inParts = composeStages([logs!({ clock: systemClock, headOf: () => newest })], answer)
  const shortRange: RpcRequest = {
    method: 'eth_getLogs',
    params: rawJsonFromText('[{"fromBlock":"0x1312c00","toBlock":"0x1312d00"}]'),
    notification: false,
  }
  const normalised = composeStages(
    rulesOf({ rollupNode: undefined, rollupMode: undefined, clock: systemClock }),
    answer,
  )
  const shared = coalesce({ key: (call) => `${call.method} ${call.params?.text() ?? ''}`, clock: systemClock })(answer)
  const pool = createPool({
    selection: createSelection({
      candidates,
      random: () => 0.5,
      exclusionOf: () => undefined,
      excludes: () => undefined,
      lagOf: () => 0,
    }),
    hedging: createHedging(),
    retries: createRetries({ random: () => 0.5 }),
    ready: () => undefined,
    classOf: () => 'read',
    groupsOf: () => undefined,
    verdictOf: () => undefined,
    isRepeatable: () => true,
    opensSubscription: () => false,
    clock: systemClock,
  })
  const transport = createAnsweredTransport()

  // The context's timer must not keep the process alive.
  context.release()
  meteredContext.release()
  return [
    { name: 'route', allowanceMicros: 1, run: () => void route(`/v3/${key}`, '127.0.0.1:8545') },
    { name: 'head', allowanceMicros: 0.5, run: () => void readHead(headers) },
    {
      name: 'admit (authenticate included)',
      allowanceMicros: 3,
      run: () => void admission.admitCall(callRoute, head, source),
    },
    {
      name: 'authenticate by key and secret',
      allowanceMicros: 4,
      run: () => void authenticate(key, credentials),
    },
    { name: 'rules of a call', allowanceMicros: 0.3, run: () => void access.decideCall({ project, rules }, ruled) },
    { name: 'count', allowanceMicros: 0.2, run: () => metrics.answered(200, 3) },
    { name: 'metrics of a call', allowanceMicros: 0.6, run: () => watched(request, context) },
    { name: 'context', allowanceMicros: 1, run: () => createGatewayContext().release() },
    { name: 'decode, encode', allowanceMicros: 4, run: () => serve(body, context) },
    { name: 'meter', allowanceMicros: 1.3, run: meterOne },
    { name: 'authorize', allowanceMicros: 0.5, run: () => authorized(request, context) },
    { name: 'budgets', allowanceMicros: 0.8, run: () => budgeted(request, context) },
    { name: 'sessions', allowanceMicros: 0.5, run: () => inSession(request, context) },
    { name: 'events', allowanceMicros: 0.5, run: () => subscribed(request, context) },
    { name: 'normalise', allowanceMicros: 0.5, run: () => normalised(request, context) },
    { name: 'logs', allowanceMicros: 0.5, run: () => inParts(request, context) },
    { name: 'logs, a short range', allowanceMicros: 1, run: () => inParts(shortRange, context) },
    ...createTraceStages(caller, request, { result: rawJsonFromText(resultText) }),
    ...createCacheStages(context),
    { name: 'coalesce', allowanceMicros: 2, run: () => shared(request, context) },
    { name: 'pool', allowanceMicros: 1.8, run: () => pool(request, context) },
    { name: 'transport, without HTTP', allowanceMicros: 2, run: () => transport(request, context) },
  ]
}

function createGatewayContext(of: Caller = caller): GatewayContext {
  return new GatewayContext({ clock: systemClock, deadline: systemClock.now() + 30_000, acceptStream: true }, of)
}

/** Prints each call and reads its answer, with no network in between. */
function createAnsweredTransport(): RpcHandler {
  let id = 0
  const headers = { get: () => null }
  const tail = smallCall.tail.toString('latin1')
  return createHttpTransport({
    url: 'http://127.0.0.1',
    answers: streamAnswers(),
    // The transport numbers its calls from 1.
    http: async () => ({ status: 200, headers, body: [Buffer.from(printAnswerHead(++id) + tail, 'latin1')] }),
  })
}
