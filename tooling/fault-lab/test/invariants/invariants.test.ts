import { describe, expect, it } from 'vitest'
import type { Census, Evidence } from '../../src/invariants/evidence.ts'
import { invariants, judge } from '../../src/invariants/index.ts'
import type { CallPlan, Plan, Question } from '../../src/plan.ts'
import type { Answer, SeenCall, SeenSubscription } from '../../src/run/seen.ts'
import type { SeenPolls, SeenStream } from '../../src/run/seen-streams.ts'
import { witness } from '../../src/world/evm/transactions.ts'
import { lies } from '../../src/world/lies.ts'

const upstream = {
  client: 'geth',
  transport: 'both',
  tier: 'primary',
  latencyMs: 10,
  blockDelayMs: 20,
} as const
const plan: Plan = {
  seed: 1,
  lengthMs: 60_000,
  blockMs: 1_000,
  verify: 'proven',
  upstreams: ['a', 'b', 'c'].map((name) => ({ name, ...upstream })),
  reorgs: [],
  faults: [],
  projects: [
    { name: 'app', greedy: false },
    { name: 'greedy', greedy: true },
  ],
  calls: [],
}
const none: Census = {
  at: 60_000,
  timers: 0,
  exchanges: 0,
  sockets: 0,
  heldBytes: 0,
  calls: 0,
}
const head: Question = { method: 'eth_blockNumber', params: [] }

let calls = 0
function seenCall(at: number, answer: Answer | undefined, more: Partial<SeenCall> = {}): SeenCall {
  const asked: CallPlan = { id: ++calls, at, project: 'app', kind: 'read', questions: [head], deadlineMs: 10_000 }
  return {
    plan: asked,
    questions: [head],
    at,
    deadline: at + 10_000,
    settledAt: at + 50,
    answers: answer && [answer],
    ...more,
  }
}

function evidence(
  more: Partial<Omit<Evidence, 'seen'>> & { calls?: SeenCall[]; subscriptions?: SeenSubscription[] },
): Evidence {
  const { calls: asked = [], subscriptions = [], ...rest } = more
  return {
    plan,
    seen: { calls: asked, subscriptions },
    streams: [],
    polls: [],
    chain: { heads: [], byHash: () => undefined },
    tally: { contents: new Map(), mostOpen: new Map() },
    truth: {
      judge: (_question, result) =>
        result === 'false' || result === 'strange' ? { why: 'made up', isStrange: result === 'strange' } : undefined,
      sendings: [],
      wasMined: () => false,
      hashOf: (raw) => `hash of ${raw}`,
      reorgs: [],
    },
    exclusions: [],
    censuses: [],
    idle: none,
    last: none,
    endedAt: 56_000,
    ...rest,
  }
}

const broken = (found: Evidence): readonly string[] => [...new Set(judge(found).map(({ invariant }) => invariant))]
const sending = { method: 'eth_sendRawTransaction', params: ['raw'] }
const sent = { upstream: 'a', hash: 'hash of raw', at: 20_000, isAccepted: true, answeredAt: 20_010 }
const subscription = (numbers: readonly number[], everyMs = 1_000): SeenSubscription => ({
  id: '0x1',
  kind: 'newHeads',
  call: seenCall(1_000, { result: '0x1' }),
  openedAt: 1_000,
  events: numbers.map((number, i) => ({
    at: 1_000 + (i + 1) * everyMs,
    result: { number: `0x${number.toString(16)}`, hash: `0x${number}` },
  })),
  endedAt: 1_000 + (numbers.length + 1) * everyMs,
})

const subscriber = { id: 1, at: 1_000, project: 'app', kind: 'newHeads', drops: [], awayMs: 100 } as const
const head7 = { at: 2_000, result: { hash: '0x7' } }
/** A subscriber who was told of a head that the chain never had. */
const misled: SeenStream = {
  plan: subscriber,
  filter: {},
  sessions: [
    { openedAt: 1_000, fromBlock: undefined, goesOn: false, events: [head7], endedAt: undefined, why: undefined },
  ],
  refusals: [],
}
const polled: SeenPolls = {
  plan: { id: 1, at: 1_000, project: 'app', kind: 'blocks', everyMs: 1_000 },
  filter: {},
  openedAt: 1_000,
  polls: [],
  errors: [{ at: 9_000, text: '-32000 filter not found' }],
}

describe('a run without fault', () => {
  it('breaks no invariant', () => {
    const answered = [
      seenCall(1_000, { result: '0x1', upstream: 'a' }),
      seenCall(2_000, { result: '0x2', upstream: 'b' }),
    ]
    expect(judge(evidence({ calls: answered, subscriptions: [subscription([4, 5, 6])] }))).toEqual([])
  })
})

describe('each invariant', () => {
  const refusal: Answer = { error: { code: -32603, message: 'no upstream answered' }, rejected: 'unavailable' }
  const cases: Readonly<Record<string, readonly (() => Evidence)[]>> = {
    answersByDeadline: [
      () => evidence({ calls: [seenCall(1_000, undefined, { settledAt: undefined })] }),
      () => evidence({ calls: [seenCall(1_000, { result: '0x1' }, { settledAt: 11_500 })] }),
      () => evidence({ calls: [seenCall(1_000, {})] }),
      () => evidence({ calls: [seenCall(1_000, undefined)] }),
    ],
    servedWhereOneCan: [() => evidence({ calls: [seenCall(30_000, refusal)] })],
    noWrongAnswer: [
      () => {
        const question = { method: 'eth_getBlockByNumber', params: ['0x1', false] }
        return evidence({ calls: [seenCall(30_000, { result: 'false', level: 'proven' }, { questions: [question] })] })
      },
    ],
    noOtherChain: [() => evidence({ calls: [seenCall(30_000, { result: 'strange', upstream: 'a' })] })],
    atMostOnce: [
      () =>
        evidence({
          calls: [seenCall(19_990, { result: 'hash of raw' }, { questions: [sending] })],
          truth: { ...evidence({}).truth, sendings: [sent, { ...sent, at: 20_500 }] },
        }),
      () => {
        const failed = { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }
        return evidence({
          calls: [seenCall(19_990, failed, { questions: [sending] })],
          truth: { ...evidence({}).truth, sendings: [sent], wasMined: () => true },
        })
      },
    ],
    viewsMonotonic: [
      () => evidence({ calls: [seenCall(1_000, { result: '0xa' }), seenCall(2_000, { result: '0x9' })] }),
    ],
    headsWithoutGaps: [
      () => evidence({ subscriptions: [subscription([4, 5, 7])] }),
      () => evidence({ subscriptions: [subscription([4, 5, 5])] }),
      () => evidence({ subscriptions: [subscription([4, 5], 25_000)] }),
    ],
    streamsComplete: [() => evidence({ streams: [misled] })],
    filtersComplete: [() => evidence({ polls: [polled] })],
    logsNeverFewer: [
      () => {
        const question = { method: 'eth_getLogs', params: [{}] }
        return evidence({ calls: [seenCall(30_000, { result: 'false' }, { questions: [question] })] })
      },
    ],
    relaysGoOn: [
      () => {
        const session = { ...misled.sessions[0]!, events: [] }
        const deaf = {
          ...misled,
          plan: { ...subscriber, kind: 'newPendingTransactions' as const },
          sessions: [session],
        }
        const sendings = [{ ...sent, at: 53_000, answeredAt: 53_010 }]
        return evidence({ streams: [deaf], truth: { ...evidence({}).truth, sendings } })
      },
    ],
    oneSubscriptionAKind: [
      () => {
        const tally = { contents: new Map(), mostOpen: new Map([['a newHeads', 2]]) }
        return evidence({ plan: { ...plan, subscribers: [subscriber] }, tally })
      },
    ],
    cacheReportsTheChain: [
      () => evidence({ calls: [seenCall(30_000, { result: 'false', cache: 'hit' })] }),
      () => evidence({ calls: [seenCall(30_000, { result: 'false', cache: 'miss', upstream: 'a' })] }),
    ],
    groupsKeptApart: [
      () => {
        const upstreams = plan.upstreams.map((each) => ({ ...each, group: each.name }))
        const projects = [{ name: 'app', greedy: false, group: 'a' }]
        const question = { method: 'eth_call', params: [{ to: witness }, 'latest'] }
        const result = `0x${Buffer.from('b').toString('hex')}`
        return evidence({
          plan: { ...plan, upstreams, projects },
          calls: [seenCall(30_000, { result, cache: 'hit' }, { questions: [question] })],
        })
      },
    ],
    nothingFromExcluded: [
      () =>
        evidence({
          calls: [seenCall(3_000, { result: '0x1', upstream: 'b' })],
          exclusions: [{ upstream: 'b', why: 'cordoned', from: 2_000, until: 60_000 }],
        }),
    ],
    fairAmongProjects: [() => evidence({ calls: [seenCall(20_000, { ...refusal, rejected: 'overloaded' })] })],
    memoryBounded: [() => evidence({ censuses: [{ ...none, timers: 1_000 }] })],
    endsAreReleased: [
      () => evidence({ idle: { ...none, exchanges: 1 } }),
      () => evidence({ last: { ...none, timers: 1 } }),
    ],
  }

  it('has a case here', () => {
    expect(Object.keys(cases).toSorted()).toEqual(Object.keys(invariants).toSorted())
  })

  it.each(Object.entries(cases).flatMap(([name, all]) => all.map((make) => [name, make] as const)))(
    'finds its breach: %s',
    (name, make) => {
      expect(broken(make())).toContain(name)
    },
  )
})

describe('subscribers are judged', () => {
  const logs = lies.findIndex(({ name }) => name === 'logs without the first')
  const lied = (verify: Plan['verify'], variant: number, names: readonly string[] = ['a']): Evidence => {
    const faults = names.map((name) => ({ upstream: name, kind: 'lie' as const, at: 0, forMs: 60_000, variant }))
    return evidence({ plan: { ...plan, verify, faults }, streams: [misled] })
  }

  it('beside a lie that verification refuses, and no other', () => {
    expect(broken(lied('consistent', logs))).toEqual(['streamsComplete'])
    expect(broken(lied('off', logs))).toEqual([])
    expect(broken(lied('consistent', logs, ['a', 'b']))).toEqual([])
    expect(broken(lied('proven', 0))).toEqual([])
  })

  it('to the end of the chain only where an upstream is sound', () => {
    const late: SeenStream = { ...misled, sessions: [{ ...misled.sessions[0]!, endedAt: 50_000, why: '1013' }] }
    const faults = ['a', 'b', 'c'].map((name) => ({ upstream: name, kind: 'crash' as const, at: 50_000, forMs: 9_000 }))
    const found = (more: Partial<Plan>): readonly string[] =>
      judge(evidence({ plan: { ...plan, projects: [], ...more }, streams: [late] })).map(({ text }) => text)
    expect(found({})).toContainEqual(expect.stringContaining('could not come back'))
    expect(found({ faults })).not.toContainEqual(expect.stringContaining('could not come back'))
  })
})

describe('an invariant asks for no more than the gateway can know', () => {
  it('a head may go back after a reorganisation', () => {
    const asked = [seenCall(1_000, { result: '0xa' }), seenCall(2_000, { result: '0x9' })]
    expect(broken(evidence({ calls: asked, truth: { ...evidence({}).truth, reorgs: [1_500] } }))).toEqual([])
  })

  it('an answer that nothing verifies may be false', () => {
    const asked = [seenCall(30_000, { result: 'false' }, { questions: [{ method: 'eth_call', params: [] }] })]
    expect(broken(evidence({ calls: asked }))).toEqual([])
    const faults = ['a', 'b'].map((name) => ({ upstream: name, kind: 'lie' as const, at: 0, forMs: 60_000 }))
    const block = { method: 'eth_getBlockByNumber', params: ['0x1', false] }
    const outvoted = [seenCall(30_000, { result: 'false', level: 'proven' }, { questions: [block] })]
    expect(broken(evidence({ plan: { ...plan, faults }, calls: outvoted }))).toEqual([])
  })

  it('heads may rest where one of two upstreams lags', () => {
    const upstreams = plan.upstreams.slice(0, 2)
    const faults = [{ upstream: 'b', kind: 'lag' as const, at: 0, forMs: 60_000, amount: 64 }]
    const resting = { subscriptions: [subscription([4, 5], 25_000)] }
    expect(broken(evidence({ ...resting, plan: { ...plan, upstreams } }))).toEqual(['headsWithoutGaps'])
    expect(broken(evidence({ ...resting, plan: { ...plan, upstreams, faults } }))).toEqual([])
  })

  it('an upstream that was asked before it was taken out may answer those who joined, also where the first has left', () => {
    const exclusions = [{ upstream: 'b', why: 'cordoned', from: 2_000, until: 60_000 }]
    const joined = seenCall(3_000, { result: '0x1', upstream: 'b' }, { settledAt: 11_500 })
    const first = (rejected?: 'timeout') =>
      seenCall(1_000, { result: undefined, ...(rejected && { rejected }) }, { settledAt: 11_000 })
    expect(broken(evidence({ calls: [joined, first('timeout')], exclusions }))).not.toContain('nothingFromExcluded')
    expect(broken(evidence({ calls: [joined, first()], exclusions }))).toContain('nothingFromExcluded')
    const gone = { ...first('timeout'), settledAt: 2_500 }
    expect(broken(evidence({ calls: [joined, gone], exclusions }))).toContain('nothingFromExcluded')
  })

  it('a node that fails may be behind by itself, but nothing of that may be kept', () => {
    const faults = [{ upstream: 'b', kind: 'lag' as const, at: 29_000, forMs: 2_000 }]
    const behind = { result: 'false', upstream: 'b', cache: 'miss' as const }
    expect(broken(evidence({ plan: { ...plan, faults }, calls: [seenCall(30_000, behind)] }))).toEqual([])
    const kept = { result: 'false', cache: 'hit' as const }
    expect(broken(evidence({ plan: { ...plan, faults }, calls: [seenCall(31_000, kept)] }))).toEqual([
      'cacheReportsTheChain',
    ])
  })

  it('a proof may be at an old block where half of the upstreams are away or behind', () => {
    const upstreams = [...plan.upstreams, { ...plan.upstreams[0]!, name: 'd' }]
    const away = { upstream: 'b', kind: 'crash' as const, at: 20_000, forMs: 20_000 }
    const old = { upstream: 'c', kind: 'restart_old' as const, at: 25_000, forMs: 9_000, amount: 64 }
    const found = (verify: Plan['verify'], faults: Plan['faults']): readonly string[] => {
      const judged = (...[, , , , graceMs = 0]: Parameters<Evidence['truth']['judge']>) =>
        graceMs >= 26_000 ? undefined : { why: 'it was true until 26000 ms before it was asked', isStrange: false }
      const truth = { ...evidence({}).truth, judge: judged }
      const asked = [seenCall(30_000, { result: '0x22', cache: 'miss', upstream: 'a' })]
      return broken(evidence({ plan: { ...plan, blockMs: 1_000, upstreams, verify, faults }, calls: asked, truth }))
    }
    expect(found('proven', [away, old])).toEqual([])
    expect(found('proven', [away])).toEqual(['cacheReportsTheChain'])
    expect(found('consistent', [away, old])).toEqual(['cacheReportsTheChain'])
  })

  it('a caller may send a transaction again himself', () => {
    const again = [19_990, 20_400].map((at) => seenCall(at, { result: 'hash of raw' }, { questions: [sending] }))
    const truth = { ...evidence({}).truth, sendings: [sent, { ...sent, at: 20_500 }] }
    expect(broken(evidence({ calls: again, truth }))).toEqual([])
  })
})
