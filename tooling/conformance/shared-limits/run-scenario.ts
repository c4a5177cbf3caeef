import { setTimeout as sleep } from 'node:timers/promises'
import { count, type Figure, figure, ms, percent } from '../pool-bars/measure/figure.ts'
import { type MachineState, watchMachine } from '../pool-bars/measure/machine.ts'
import { Child } from '../starvation/measure/child.ts'
import { type Caller, type Deployment, perDay, prices, startDeployment } from './deployment.ts'
import type { LoadOptions, LoadResult, Sample } from './load-program.ts'
import type { Scenario } from './scenarios.ts'

export interface Result {
  readonly scenario: string
  readonly figures: readonly Figure[]
  readonly machine: MachineState
  readonly ownDelay: LoadResult['ownDelay']
  /** Answers that no caller should get, by what they said. */
  readonly failures: Readonly<Record<string, number>>
}

const overKey = 'a-key-of-those-who-want-too-much'
const belowKey = 'a-key-of-those-who-want-less'

const priceOf = (sample: Sample): number => (sample.status === 200 ? prices[sample.method]! : 0)
const creditsOf = (samples: readonly Sample[]): number => samples.reduce((sum, each) => sum + priceOf(each), 0)

/** Runs a scenario on a deployment of its own. */
export async function runScenario(scenario: Scenario, signal: AbortSignal): Promise<Result> {
  await using stack = new AsyncDisposableStack()
  const { below } = scenario
  const callers: Caller[] = [
    { name: 'over', key: overKey, perSecond: scenario.limit },
    ...(below === undefined ? [] : [{ name: 'below', key: belowKey, perSecond: below.limit }]),
  ]
  const deployment = await startDeployment(stack, callers)
  const { gateways } = deployment
  await eachSharesWith(deployment, 2)
  const load = stack.use(new Child(new URL('load-program.ts', import.meta.url)))
  const seconds = scenario.seconds
  const options: LoadOptions = {
    gateways: gateways.map(({ rpc }) => rpc),
    groups: [{ ...scenario.over, key: overKey }, ...(below === undefined ? [] : [{ ...below.group, key: belowKey }])],
    seconds,
  }
  signal.throwIfAborted()
  signal.addEventListener('abort', () => void stack.disposeAsync())
  const machine = watchMachine()
  const loading = load.ask<LoadResult>('run', options)
  const outage = await makeOutage(scenario, deployment)
  const { samples, ownDelay } = await loading
  const state = machine()
  const [over = [], under = []] = samples
  const probes = await Promise.all(callers.map(({ key }) => probeDay(gateways[0]!.rpc, key)))
  const all = samples.map((each, i) => [...each, ...probes[i]!.samples])
  const usage = await compareUsage(deployment, callers, all)
  return {
    scenario: scenario.name,
    figures: [
      ...admittedFigures(scenario, over, seconds),
      ...(below === undefined
        ? []
        : [figure('false 429', under.filter(({ status }) => status === 429).length, count, { most: 0 })]),
      figure('failed calls', [...over, ...under].filter(isFailed).length, count, { most: 0 }),
      ...outage,
      figure("difference of the day's quota to what was admitted, in credits", dayDifference(all, probes), count, {
        most: 0,
      }),
      ...usage,
    ],
    machine: state,
    ownDelay,
    failures: tally([...over, ...under].filter(isFailed)),
  }
}

const isFailed = ({ status, failure }: Sample): boolean => failure !== '' && status !== 429

function tally(samples: readonly Sample[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status, failure } of samples) {
    const what = `${status}: ${failure}`
    found[what] = (found[what] ?? 0) + 1
  }
  return found
}

/** Waits until each gateway knows that it is one of `replicas`. */
async function eachSharesWith({ gateways }: Deployment, replicas: number): Promise<void> {
  for (const { admin } of gateways) while ((await limitsOf(admin)).replicas !== replicas) await sleep(50)
}

async function limitsOf(admin: string): Promise<{ readonly state: string; readonly replicas: number }> {
  const response = await fetch(`${admin}/status`, { signal: AbortSignal.timeout(10_000) })
  return ((await response.json()) as { limits: { state: string; replicas: number } }).limits
}

function admittedFigures(scenario: Scenario, over: readonly Sample[], seconds: number): readonly Figure[] {
  const { limit, outage, over: group } = scenario
  const itsPrices = group.methods.map((method) => prices[method]!)
  // Each of the two processes may let one dearest call pass, if prices are mixed.
  const spare = new Set(itsPrices).size === 1 ? 0 : 2 * Math.max(...itsPrices)
  const admitted = creditsOf(over)
  // The bucket is full at the first call.
  const allowed = limit * (1 + Math.max(...over.map(({ end }) => end)) / 1_000)
  const most = outage === undefined ? 1.01 : 1.05
  const one = admittedByOne(over, limit)
  return [
    figure('admitted of what the limit allows', (admitted - spare) / allowed, percent, { most }),
    figure('admitted of what one bucket would admit of the same calls, at most', (admitted - spare) / one, percent, {
      most,
    }),
    ...(outage === undefined ? [figure('and at least', (admitted + spare) / one, percent, { least: 0.99 })] : []),
    ...(outage === undefined
      ? []
      : [figure('most in 10 s, of 10 s of the limit', worstSpan(over, seconds, limit), percent)]),
    figure('calls asked for', over.length, count),
    figure('calls admitted', over.filter(({ status }) => status === 200).length, count),
  ]
}

/** The credits of these calls that a single bucket would admit, if it decided at the time of their answers. */
function admittedByOne(samples: readonly Sample[], limit: number): number {
  let level = limit
  let levelAt = 0
  let admitted = 0
  for (const { end, method } of samples.toSorted((a, b) => a.end - b.end)) {
    level = Math.min(limit, level + (limit * (end - levelAt)) / 1_000)
    levelAt = end
    const price = prices[method]!
    if (level < price) continue
    level -= price
    admitted += price
  }
  return admitted
}

/** The most credits that were admitted in 10 s, after the first 2 s, which spend the burst. */
function worstSpan(over: readonly Sample[], seconds: number, limit: number): number {
  const spanMs = 10_000
  let worst = 0
  for (let from = 2_000; from + spanMs <= seconds * 1_000; from += 100) {
    const credits = creditsOf(over.filter(({ end }) => end >= from && end < from + spanMs))
    worst = Math.max(worst, credits / ((limit * spanMs) / 1_000))
  }
  return worst
}

/** Has a server go away in its time, and measures what the gateways tell of it. */
async function makeOutage({ outage }: Scenario, deployment: Deployment): Promise<readonly Figure[]> {
  if (outage === undefined) return []
  const reported = { ms: 0, unready: 0 }
  await sleep(outage.from * 1_000)
  let begun = performance.now()
  await outage.stop(deployment, async () => {
    begun = performance.now()
    const untilMs = begun + outage.seconds * 1_000
    for (const { admin } of deployment.gateways) {
      while (performance.now() < untilMs) {
        if ((await degradedOf(admin)).length > 0) break
        await sleep(50)
      }
    }
    reported.ms = performance.now() - begun
    while (performance.now() < untilMs) {
      for (const { admin } of deployment.gateways) {
        if ((await fetch(`${admin}/readyz`, { signal: AbortSignal.timeout(10_000) })).status !== 200) reported.unready++
      }
      await sleep(500)
    }
  })
  return [
    figure('/status of both tells it after', reported.ms, ms, { most: 2_000 }),
    figure('answers of /readyz that are not 200', reported.unready, count, { most: 0 }),
  ]
}

async function degradedOf(admin: string): Promise<readonly string[]> {
  const response = await fetch(`${admin}/status`, { signal: AbortSignal.timeout(10_000) })
  return ((await response.json()) as { degraded: readonly string[] }).degraded
}

interface Probe {
  readonly samples: readonly Sample[]
  /** Credits of the day that are left, as the last answer tells. */
  readonly left: number
}

/** Calls some more times until the gateway has asked Redis for the last time what is left of the day. */
async function probeDay(rpc: string, key: string): Promise<Probe> {
  await sleep(2_000)
  const samples: Sample[] = []
  let left = Number.NaN
  for (let i = 0; i < 4; i++) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBalance',
      params: [`0x${'aa'.repeat(20)}`, 'latest'],
    })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${rpc}/v3/${key}`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(10_000),
    })
    samples.push({ at: 0, end: 0, status: response.status, method: 'eth_getBalance', failure: '' })
    await response.text()
    left = Number(/"project-day";r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1])
    await sleep(300)
  }
  return { samples, left }
}

function dayDifference(samples: readonly (readonly Sample[])[], probes: readonly Probe[]): number {
  return samples.reduce((sum, each, i) => sum + Math.abs(perDay - creditsOf(each) - probes[i]!.left), 0)
}

/** Compares the usage that the store has with what the callers counted, as soon as it has all, or after 30 s. */
async function compareUsage(
  deployment: Deployment,
  callers: readonly Caller[],
  samples: readonly (readonly Sample[])[],
): Promise<readonly Figure[]> {
  const expected = new Map<string, { calls: number; credits: number }>()
  callers.forEach(({ name }, i) => {
    for (const sample of samples[i]!) {
      const place = `${name} ${Math.floor(sample.status / 100)}xx`
      const sum = expected.get(place) ?? { calls: 0, credits: 0 }
      sum.calls++
      sum.credits += priceOf(sample)
      expected.set(place, sum)
    }
  })
  let difference = { calls: Number.NaN, credits: Number.NaN }
  for (let i = 0; i < 60; i++) {
    const found = await deployment.usage()
    const of = (what: 'calls' | 'credits'): number =>
      [...new Set([...found.keys(), ...expected.keys()])].reduce((sum, place) => {
        return sum + Math.abs((found.get(place)?.[what] ?? 0) - (expected.get(place)?.[what] ?? 0))
      }, 0)
    difference = { calls: of('calls'), credits: of('credits') }
    if (difference.calls === 0 && difference.credits === 0) break
    await sleep(500)
  }
  return [
    figure('difference of usage to what callers counted, in calls', difference.calls, count, { most: 0 }),
    figure('the same in credits', difference.credits, count, { most: 0 }),
  ]
}
