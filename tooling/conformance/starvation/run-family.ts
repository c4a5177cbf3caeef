import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackContext, Family } from './family.ts'
import { attackerProject, type Gateway, goodProject, startGateway } from './gateway.ts'
import { type Bars, bars, judge, type Latencies, type Memory, type Probe, settleSeconds } from './measure/bars.ts'
import { Child } from './measure/child.ts'
import { coreTime, machineBusyMs, peakMegabytes, residentMegabytes, resetPeak } from './measure/process-figures.ts'

export interface RunOptions {
  /** How long the good caller is measured without the attack, in seconds. */
  readonly idleSeconds: number
  /** How long the attack runs. */
  readonly seconds: number
  /** Limits of the gateway. Default: its own. */
  readonly limits?: Readonly<Record<string, number>> | undefined
  /** The file to which the gateway's stderr is appended. Default: none. */
  readonly logFile?: string | undefined
  /** The most rounds at full speed, of two seconds each, before the gateway's memory counts as steady. Default: 8. */
  readonly warmUpRounds?: number | undefined
  /** The time that the memory has to come back, in seconds; at 0 it is measured at once. Default: 30. */
  readonly settleSeconds?: number | undefined
}

/** What a run cost those who measured it: it tells noise from a fault. */
export interface Noise {
  /** The p99 of the good caller's own delay while the attack ran, in ms; it is taken off the latencies. */
  readonly goodDelay: number
  /** The p99 of the nodes' own delay, in ms; it is a part of the latencies. */
  readonly nodesDelay: number
  /** The part of the attack in which the gateway could have run and got no core, in percent of one core. */
  readonly gatewayWaited: number
  /** The part of all cores that programs outside of this harness used, in percent of one core. */
  readonly foreign: number
}

export interface FamilyResult {
  readonly number: number
  readonly name: string
  readonly bars: Bars
  readonly probes: readonly Probe[]
  readonly memory: Memory
  /** After how many seconds the memory was measured as settled: when it has been within the bar for three, at last after `settleSeconds`. */
  readonly settledAfter: number
  /** CPU of the gateway and of the attacker while the attack ran, in percent of one core. */
  readonly cpu: { readonly gateway: number; readonly attacker: number }
  readonly noise: Noise
  /** What came of the attack. */
  readonly tallies: Readonly<Record<string, number>>
  /** The bars that do not hold; empty if all do. */
  readonly broken: readonly string[]
}

/** The gateway serves at full speed by rounds, until its memory grows by less than this in one: a young process is small. */
const steadyMegabytes = 10
const roundMs = 2_000
const sampleMs = 50
/** How long an upstream may be excluded before the attack, in seconds: one that is silent for a moment is back with its next answer. */
const lookSeconds = 5
/** Longest wait for `/status`, in ms. */
const statusWithinMs = 10_000
/** How long the memory is within its bar before it counts as back. */
const calmMs = 3_000

type Results = readonly (readonly [kind: string, latencies: Latencies])[]

/** Runs one family against a gateway of its own. @throws Unavailable */
export async function runFamily(family: Family, options: RunOptions): Promise<FamilyResult> {
  const { idleSeconds, seconds, limits, logFile, warmUpRounds = 8 } = options
  await using nodes = new Child(new URL('nodes.ts', import.meta.url))
  // Pushing heads to 20,000 subscriptions must not slow the node that the good caller asks.
  await using pusher = new Child(new URL('nodes.ts', import.meta.url), 10)
  const { first, healthy } = await nodes.ask<{ first: string; healthy: string }>('start')
  const upstreams = [first, healthy, await pusher.ask<string>('startPushing')]
  await using gateway = await startGateway({ upstreams, limits, logFile, surroundings: family.surroundings })
  await warmUp(gateway, warmUpRounds)
  await using good = new Child(new URL('good-caller.ts', import.meta.url))
  await good.ask('start', { rpc: gateway.rpc, ws: gateway.ws, key: goodProject.key })
  await sleep(1_000)

  await good.ask('phase', 'idle')
  await sleep(idleSeconds * 1000)
  const excludedBefore = await excludedAtLast(gateway, lookSeconds)
  const idleMegabytes = residentMegabytes(gateway.pid)

  const attacked = await underAttack(family, { gateway, good, nodes, pusher }, seconds * 1000)
  const bounds = { ...bars, ...family.bars }
  const most = options.settleSeconds ?? settleSeconds
  const settled = await settle(gateway.pid, idleMegabytes + bounds.settledMegabytes, most)
  const excludedAfter = await excludedAtLast(gateway, most)
  const idle = new Map(await good.ask<Results>('results', 'idle'))
  const probes = (await good.ask<Results>('results', 'attack')).map(([kind, latencies]) => ({
    kind,
    idle: idle.get(kind)!,
    attacked: latencies,
  }))
  const memory = { idle: idleMegabytes, peak: peakMegabytes(gateway.pid), settled: settled.megabytes }
  return {
    number: family.number,
    name: family.name,
    bars: bounds,
    probes,
    memory,
    settledAfter: settled.seconds,
    cpu: attacked.cpu,
    noise: attacked.noise,
    tallies: attacked.tallies,
    broken: judge(bounds, probes, memory, { alive: gateway.alive(), excludedBefore, excludedAfter }),
  }
}

async function warmUp({ rpc, pid }: Gateway, mostRounds: number): Promise<void> {
  await using load = new Child(new URL('alone-load.ts', import.meta.url))
  const calls = { rpc, path: `/two/v3/${goodProject.key}`, ms: roundMs / 2 }
  for (let i = 0; i < mostRounds; i++) {
    const before = residentMegabytes(pid)
    await load.ask('run', { ...calls, connections: 32, batch: 0 })
    await load.ask('run', { ...calls, connections: 8, batch: 20 })
    if (residentMegabytes(pid) - before < steadyMegabytes) return
  }
}

type Attacked = Pick<FamilyResult, 'cpu' | 'noise' | 'tallies'>

interface Parts {
  readonly gateway: Gateway
  readonly good: Child
  readonly nodes: Child
  readonly pusher: Child
}

async function underAttack(family: Family, { gateway, good, nodes, pusher }: Parts, ms: number): Promise<Attacked> {
  await using attacker = new Child(new URL('attacker.ts', import.meta.url), 19)
  const ours = [process.pid, gateway.pid, good.pid, nodes.pid, pusher.pid, attacker.pid]
  const ranOf = (): number => ours.reduce((sum, pid) => sum + coreTime(pid).ran, 0)
  const target: Omit<AttackContext, 'next' | 'tally' | 'strangePath'> = {
    rpc: gateway.rpc,
    ipfs: gateway.ipfs,
    path: `/one/v3/${attackerProject.key}`,
    webSocketPath: `/one/ws/v3/${attackerProject.key}`,
    authorization: `Basic ${Buffer.from(`${attackerProject.key}:${attackerProject.secret}`).toString('base64')}`,
  }
  await nodes.ask('figures')
  resetPeak(gateway.pid)
  const before = { at: performance.now(), machine: machineBusyMs(), ran: ranOf(), gateway: coreTime(gateway.pid) }
  await good.ask('phase', 'attack')
  await attacker.ask('start', { number: family.number, ...target })
  await sleep(Math.max(0, ms - (performance.now() - before.at)))

  const after = { at: performance.now(), machine: machineBusyMs(), ran: ranOf(), gateway: coreTime(gateway.pid) }
  const goodDelay = await good.ask<{ p99: number }>('phase', 'after')
  const { delay } = await nodes.ask<{ delay: { p99: number } }>('figures')
  const stopped = await attacker.ask<{ tallies: Record<string, number>; cpuMs: number }>('stop')
  const percent = (part: number): number => (100 * part) / (after.at - before.at)
  return {
    tallies: stopped.tallies,
    cpu: { gateway: percent(after.gateway.ran - before.gateway.ran), attacker: percent(stopped.cpuMs) },
    noise: {
      goodDelay: goodDelay.p99,
      nodesDelay: delay.p99,
      gatewayWaited: percent(after.gateway.waited - before.gateway.waited),
      foreign: Math.max(0, percent(after.machine - before.machine - (after.ran - before.ran))),
    },
  }
}

interface Status {
  readonly networks: Readonly<
    Record<
      string,
      { readonly upstreams: readonly { readonly name: string; readonly out?: string; readonly reason?: string }[] }
    >
  >
}

/** Names the upstreams that the gateway leaves alone, with the reason. */
async function excluded({ admin }: Gateway): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(statusWithinMs)
  const response = await fetch(`${admin}/status`, { signal }).catch(() => undefined)
  if (response?.ok !== true) return ['the gateway does not tell its upstreams']
  const { networks } = (await response.json()) as Status
  return Object.entries(networks).flatMap(([network, { upstreams }]) =>
    upstreams.flatMap(({ name, out, reason = out }) =>
      reason === undefined ? [] : [`${name} of ${network} is excluded (${reason})`],
    ),
  )
}

/** Waits until no upstream is excluded any more, and names those that are at last. */
async function excludedAtLast(gateway: Gateway, mostSeconds: number): Promise<readonly string[]> {
  const begun = performance.now()
  while (gateway.alive()) {
    const found = await excluded(gateway)
    if (found.length === 0 || performance.now() - begun >= mostSeconds * 1000) return found
    await sleep(sampleMs * 10)
  }
  return []
}

/** Waits until the memory has been back for a while, at most for the time that it has. */
async function settle(
  pid: number,
  bar: number,
  mostSeconds: number,
): Promise<{ readonly megabytes: number; readonly seconds: number }> {
  const begun = performance.now()
  let over = begun
  while (true) {
    await sleep(sampleMs)
    const now = performance.now()
    const megabytes = residentMegabytes(pid)
    if (megabytes > bar) over = now
    const seconds = (now - begun) / 1000
    if (now - over >= calmMs || seconds >= mostSeconds) return { megabytes, seconds }
  }
}
