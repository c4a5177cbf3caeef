import type { Project } from '@wayleave/auth'
import type { RpcServer, RpcSession } from '@wayleave/jsonrpc-core'
import { createPrices } from '@wayleave/metering'
import { createByteBudget } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import type { Config } from '@wayleave/gateway'
import { limitsOf } from '@wayleave/gateway/internal/config/limits'
import type { Log } from '@wayleave/telemetry'
import { createMetrics, type Metrics } from '@wayleave/gateway/internal/telemetry/metrics'
import { GatewayContext } from '@wayleave/gateway/internal/context/context'
import { type OpenNetwork, openNetworks } from '@wayleave/gateway/internal/rpc/networks'
import { createCountedClock } from './counted-clock.ts'
import { chainId } from './evm/transactions.ts'
import type { Journal } from './journal.ts'
import { createBareStreams } from './bare-streams.ts'
import { urlsOf, type World } from './world.ts'

/** The gateway's core over a world: server, stages, pool, view of the chain and verification, as in production. */
export interface LabGateway {
  readonly network: OpenNetwork
  /** Serves subscribers and filters. */
  readonly streams: RpcServer<GatewayContext>
  readonly metrics: Metrics
  /** Timers that it has set. */
  readonly timers: number
  readonly heldBytes: number
  /** Makes the context of one request of a project. `deadline`: virtual ms. */
  contextOf(project: string, deadline: number, session?: RpcSession): GatewayContext
  /** Closes the network. The clock must run meanwhile. */
  close(): Promise<void>
}

/** Memory of the machine that the gateway believes to be on, in bytes. */
const memoryBytes = 1_073_741_824
const networkName = 'mainnet'

/** The gateway's configuration in a world. */
function configOf({ plan }: World): Config {
  const { maxQueueMs: _fixed, ...limits } = plan.limits ?? {}
  return {
    networks: {
      [networkName]: {
        kind: 'evm',
        chainId,
        verify: plan.verify,
        upstreams: plan.upstreams.map((upstream) => ({
          name: upstream.name,
          tier: upstream.tier,
          ...urlsOf(upstream),
          ...(upstream.group !== undefined && { groups: [upstream.group] }),
          ...(upstream.verify !== undefined && { verify: upstream.verify }),
        })),
      },
    },
    projects: plan.projects.flatMap(({ name, group }) =>
      group === undefined ? [] : [{ id: name, name, keys: [], upstreams: [group] }],
    ),
    ...(plan.cache !== undefined && { cache: plan.cache }),
    limits,
  }
}

/** Opens the gateway's core over a world: on its clock, with its randomness, through its ports, on one thread. */
export async function openLabGateway(world: World): Promise<LabGateway> {
  const { plan, journal } = world
  const clock = createCountedClock(world.clock)
  const random = world.random('gateway')
  const nextTurn = (run: () => void): void => void world.clock.after(0, run)
  const config = configOf(world)
  const { maxQueueMs } = plan.limits ?? {}
  const limits = limitsOf(config, memoryBytes, maxQueueMs === undefined ? {} : { maxQueueMs })
  const turns = createTurns({ nextTurn })
  const metrics = createMetrics()
  const budget = createByteBudget({ turns, capacity: limits.maxHeldBytes, onRefused: () => {} })
  const randomBytes = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => Math.floor(random() * 256))
  const [network] = await openNetworks(config, {
    limits,
    budget,
    turns,
    rollupNodes: {},
    openPort: world.openPort,
    connect: world.connect,
    metrics,
    clock,
    nextTurn,
    random,
    randomBytes,
    newFilterId: () => `0x${Buffer.from(randomBytes(16)).toString('hex').replace(/^0+/, '')}`,
    noteDenial: () => {},
    metering: { prices: createPrices({ overrides: {} }) },
    log: journalLog(journal),
  })
  const projects = new Map<string, Project>(
    plan.projects.map(({ name }) => [name, { id: name, name, requireSecret: false }]),
  )
  let calls = 0
  const bare = plan.hasBareStreams === true ? createBareStreams(network!, clock) : undefined
  return {
    network: network!,
    streams: bare?.server ?? network!.server,
    metrics,
    get timers() {
      return clock.timers
    },
    get heldBytes() {
      return budget.held
    },
    contextOf(name, deadline, session) {
      const project = projects.get(name)
      if (project === undefined) throw new TypeError(`a call names the project ${name}: the plan has no such project`)
      const principal = { project, keyId: '', address: '', origin: undefined, userAgent: undefined }
      const init = { clock, deadline, acceptStream: session === undefined, ...(session && { session }) }
      return new GatewayContext(init, { principal, network: networkName, traceId: `call ${++calls}` })
    },
    close() {
      bare?.close()
      return network!.close()
    },
  }
}

/** A log whose lines stand in the journal. */
function journalLog(journal: Journal): Log {
  const line = (fields: unknown, text?: unknown): void =>
    typeof fields === 'string'
      ? journal.note('gateway', 'log', fields)
      : journal.note('gateway', 'log', `${String(text)} ${JSON.stringify(printable(fields))}`)
  const repeated = (_: readonly string[], fields: unknown, text: string): void => line(fields, text)
  return {
    debug: line,
    info: line,
    warn: line,
    error: line,
    repeats: { warn: repeated, error: repeated, flush() {} },
    droppedLines: () => 0,
    close: () => Promise.resolve(),
  } as Log
}

/** Errors have no members that JSON shows. */
function printable(fields: unknown): unknown {
  const entries = Object.entries(Object(fields) as object)
  return Object.fromEntries(entries.map(([name, value]) => [name, value instanceof Error ? value.stack : value]))
}
