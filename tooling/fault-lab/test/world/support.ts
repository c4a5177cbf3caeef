import {
  createContext,
  createHttpTransport,
  type RpcHandler,
  type RpcResponse,
  rawJsonFromValue,
} from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import type { FaultPlan, Plan, Question, UpstreamPlan } from '../../src/plan.ts'
import { createWorld, urlsOf, type World } from '../../src/world/world.ts'

export function upstreamPlan(name: string, more: Partial<UpstreamPlan> = {}): UpstreamPlan {
  return { name, client: 'geth', transport: 'http', tier: 'primary', latencyMs: 20, blockDelayMs: 50, ...more }
}

export function planWith(more: Partial<Plan> = {}): Plan {
  return {
    seed: 7,
    lengthMs: 60_000,
    blockMs: 2_000,
    verify: 'off',
    upstreams: [upstreamPlan('node-0')],
    reorgs: [],
    faults: [],
    projects: [{ name: 'p', greedy: false }],
    calls: [],
    ...more,
  }
}

/** A world with one node that fails from 5 s on, and the node's transport as the gateway has it. */
export function failingWorld(fault: Omit<FaultPlan, 'upstream' | 'at' | 'forMs'>, more: Partial<Plan> = {}): World {
  return createWorld(planWith({ faults: [{ upstream: 'node-0', at: 5_000, forMs: 20_000, ...fault }], ...more }))
}

/** Asks a node over HTTP, and lets time pass until it has answered or failed. */
export async function ask(world: World, question: Question, name = 'node-0', timeoutMs = 3_000): Promise<unknown> {
  const { clock } = world
  const http = createHttpTransport({ url: `http://${name}.lab/`, http: world.openPort().http, clock })
  return settle(world, http, question, timeoutMs)
}

export async function settle(
  world: World,
  handler: RpcHandler,
  question: Question,
  timeoutMs = 3_000,
): Promise<unknown> {
  const { clock } = world
  const { method, params } = world.resolve(question)
  const request = { method, params: rawJsonFromValue(params), notification: false }
  let settled:
    | { readonly answer?: RpcResponse; readonly why?: { readonly code: string; readonly httpStatus?: number } }
    | undefined
  handler(request, createContext({ clock, timeoutMs })).then(
    (answer) => void (settled = { answer }),
    (why: { readonly code: string }) => void (settled = { why }),
  )
  await clock.runUntil(clock.now() + 2 * timeoutMs, () => settled !== undefined)
  const { answer, why } = settled ?? {}
  if (why !== undefined) return { failed: why.code, ...(why.httpStatus !== undefined && { status: why.httpStatus }) }
  if (answer?.error !== undefined) return { error: answer.error.code, message: answer.error.message }
  const { result } = answer as { readonly result: { value(): unknown } }
  return result.value()
}

/** The transport of a node's WebSocket. */
export function socketOf(world: World, name = 'node-0') {
  const { url, ws = url } = urlsOf(world.plan.upstreams.find((each) => each.name === name)!)
  return createWebSocketTransport({
    url: ws,
    connect: world.connect,
    subscriptions: { eth_subscribe: { event: 'eth_subscription', unsubscribe: 'eth_unsubscribe' } },
    reconnect: { random: () => 0.5 },
    clock: world.clock,
  })
}
