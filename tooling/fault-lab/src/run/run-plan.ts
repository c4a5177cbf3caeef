import { hash } from 'node:crypto'
import { judge } from '../invariants/index.ts'
import type { Census, Evidence, Exclusion } from '../invariants/evidence.ts'
import type { Plan, Question } from '../plan.ts'
import { type LabGateway, openLabGateway } from '../world/gateway.ts'
import type { Entry } from '../world/journal.ts'
import { createWorld, type World } from '../world/world.ts'
import { type Callers, createCallers } from './callers.ts'
import { createPollers } from './pollers.ts'
import type { Moment, Report, RunStats } from './report.ts'
import { countStreams } from './count-streams.ts'
import { createSubscribers } from './subscribers.ts'

/** Time after callers have left in which the gateway's own questions end that began before, in virtual ms. */
const windDownMs = 5_000
/** Time in which a closed gateway lets go of everything, in virtual ms. */
const closeMs = 35_000
const censusEveryMs = 1_000

/** Runs a plan on the virtual clock, and judges it. The same plan gives the same report. */
export async function runPlan(plan: Plan): Promise<Report> {
  const world = createWorld(plan)
  const { clock, journal } = world
  const gateway = await openLabGateway(world)
  const { network } = gateway
  const callers = createCallers({
    server: network.server,
    clock,
    journal,
    contextOf: gateway.contextOf,
    resolve: world.resolve,
  })
  const { contextOf, streams: server } = gateway
  const following = { server, clock, journal, contextOf, resolve: (question: Question) => world.resolve(question) }
  const subscribers = createSubscribers(plan.subscribers ?? [], following)
  const pollers = createPollers(plan.pollers ?? [], following)
  for (const call of plan.calls) clock.after(call.at, () => callers.begin(call))
  const exclusions = cordonIn(plan, world, gateway)
  const censuses: Census[] = []
  const take = (): void => {
    clock.after(censusEveryMs, take)
    censuses.push(censusOf(world, gateway, callers))
  }
  take()
  await clock.runUntil(plan.lengthMs)
  callers.leave()
  subscribers.leave()
  pollers.leave()
  await clock.runUntil(plan.lengthMs + windDownMs)
  // The gateway itself goes on asking for heads.
  const idle = { ...censusOf(world, gateway, callers), exchanges: leftExchanges(plan, world) }
  world.chain.stop()
  const isClosed = await closed(world, gateway)
  const last = censusOf(world, gateway, callers)
  const evidence: Evidence = {
    plan,
    seen: callers,
    streams: subscribers.streams,
    polls: pollers.polls,
    truth: world.truth,
    chain: world.chain,
    tally: world.tally,
    exclusions,
    censuses,
    idle,
    last,
    endedAt: plan.lengthMs,
  }
  const violations = [
    ...judge(evidence),
    ...(isClosed ? [] : [{ invariant: 'endsAreReleased', at: clock.now(), text: 'the gateway did not close' }]),
  ]
  return {
    seed: plan.seed,
    violations,
    traceHash: hash('sha256', journal.entries.map(lineOf).join('\n')).slice(0, 16),
    stats: statsOf(callers, journal.entries),
    ...(plan.subscribers !== undefined && { streams: countStreams(evidence) }),
    ...(violations.length > 0 && { moments: journal.entries.map(momentOf) }),
  }
}

/** Counts the questions that began for callers. An upstream that was sent a transaction is heard out until its caller's deadline. */
function leftExchanges({ calls, lengthMs }: Plan, { clock, exchangesBegunBy, resolve, truth }: World): number {
  const heardOut = calls
    .filter(({ at, deadlineMs }) => at + deadlineMs >= clock.now())
    .flatMap(({ questions }) => questions.filter(({ method }) => method.startsWith('eth_sendRawTransaction')))
    .map((question) => String(resolve(question).params[0]))
  const isOfSending = (body: string): boolean =>
    heardOut.some(
      (raw) =>
        (body.includes('eth_sendRawTransaction') && body.includes(raw)) ||
        // The look whether an upstream has it belongs to the sending.
        (body.includes('eth_getTransactionByHash') && body.includes(truth.hashOf(raw))),
    )
  return exchangesBegunBy(lengthMs).filter((body) => !isOfSending(body)).length
}

/** Takes upstreams out of use as planned, and remembers when. */
function cordonIn({ cordons = [] }: Plan, { clock, journal }: World, { network }: LabGateway): readonly Exclusion[] {
  const exclusions: Exclusion[] = []
  for (const { upstream, at, forMs } of cordons) {
    clock.after(at, () => {
      journal.note('gateway', 'cordon', `${upstream} is cordoned`)
      network.cordon(upstream, 'by plan')
      exclusions.push({ upstream, why: 'cordoned', from: at, until: at + forMs })
    })
    clock.after(at + forMs, () => {
      journal.note('gateway', 'cordon', `${upstream} is in use again`)
      network.cordon(upstream, undefined)
    })
  }
  return exclusions
}

async function closed({ clock }: World, gateway: LabGateway): Promise<boolean> {
  let isClosed = false
  void gateway.close().then(() => {
    isClosed = true
  })
  await clock.runUntil(clock.now() + closeMs)
  return isClosed
}

function censusOf(
  { clock, exchanges, sockets }: World,
  { timers, heldBytes }: LabGateway,
  { waiting }: Callers,
): Census {
  return { at: clock.now(), timers, exchanges, sockets, heldBytes, calls: waiting }
}

function statsOf({ calls }: Callers, entries: readonly Entry[]): RunStats {
  const answers = calls.flatMap((call) => call.answers ?? [])
  const count = (what: string): number => entries.filter((entry) => entry.what === what).length
  return {
    calls: calls.length,
    answered: answers.filter(({ rejected }) => rejected === undefined).length,
    refused: answers.filter(({ rejected }) => rejected !== undefined).length,
    exchanges: count('asked'),
    pushes: count('told'),
    judged: answers.filter(({ level }) => level !== undefined).length,
    hits: answers.filter(({ cache }) => cache === 'hit').length,
  }
}

const lineOf = ({ at, who, what, text }: Entry): string => `${at} ${who} ${what} ${text}`
const momentOf = ({ at, who, what, text }: Entry): Moment => ({ at, who, text: `${what} ${text}` })
