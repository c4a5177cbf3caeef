import type { AdminEvents, LiveCall, LiveCallQuery } from '@wayleave/admin-api'
import { createRandom, pick } from './random.ts'
import { hostile, methods, projects } from './world.ts'

const causes = {
  answered: 'answered by own-1 after 62 ms: own-2 could not be reached, or the connection broke after 4 ms',
  node_error: 'own-1 answered with an error of its own, 3 after 12 ms',
  refused: 'the method "debug_traceTransaction" is not allowed for this project',
  failed: 'no upstream could answer this call; own-1 did not answer in time after 2,000 ms; own-2 is behind the others',
  cancelled: 'the caller closed the connection after 640 ms, while own-1 had not answered for 638 ms',
}

/** Makes calls as they end at a busy gateway. */
export function createCallMaker(seed: number, { isHostile = false } = {}): (now: number) => LiveCall {
  const random = createRandom(seed)
  let made = 0
  return (now) => {
    made++
    const id = ((BigInt(made) * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 128n)).toString(16).padStart(32, '0')
    const { id: project } = pick(
      random,
      projects.map((each) => [each.weight, each] as const),
    )
    const outcome = pick(random, [
      [930, 'answered'],
      [30, 'node_error'],
      [22, 'refused'],
      [12, 'failed'],
      [6, 'cancelled'],
    ] as const)
    const isBad = outcome === 'failed' || outcome === 'cancelled' || random() < 0.03
    const ms = outcome === 'refused' ? 0.3 : isBad ? 60 + random() * 2_000 : 2 + random() ** 3 * 90
    const cache =
      outcome === 'answered' && !isBad
        ? pick(random, [
            [5, 'hit'],
            [3, 'miss'],
            [4, undefined],
          ])
        : undefined
    const upstream =
      cache === 'hit' || outcome === 'refused' || outcome === 'failed'
        ? undefined
        : pick(random, [
            [6, 'own-1'],
            [3, 'own-2'],
            [1, 'provider'],
          ])
    const strange = isHostile && made % 7 === 0
    return {
      id,
      time: now - ms,
      network: pick(random, [
        [6, 'mainnet'],
        [2, 'base'],
        [1, 'starknet'],
      ]),
      method: strange ? hostile.script : pick(random, methods),
      project,
      keyId: id.slice(0, 8),
      outcome,
      ms: cache === 'hit' ? 0.2 + random() : ms,
      process: pick(random, [
        [1, 'edge-1:4242/worker 1'],
        [1, 'edge-1:4242/worker 2'],
      ]),
      ...(outcome === 'node_error' && { code: 3 }),
      ...(outcome === 'refused' && { code: -32601 }),
      ...(outcome === 'failed' && { code: -32603 }),
      ...(upstream !== undefined && { upstream }),
      ...(cache !== undefined && { cache }),
      ...(isBad && { queuedMs: 3 }),
      ...((isBad || outcome !== 'answered') && { cause: strange ? hostile.image : causes[outcome] }),
      ...(isBad && {
        attempts: [
          { upstream: 'own-2', atMs: 3, ms: 4, isHedge: false, outcome: 'unreachable' },
          {
            upstream: 'own-1',
            atMs: 8,
            ms: ms - 8,
            isHedge: false,
            outcome: outcome === 'answered' ? 'answered' : 'timeout',
          },
          { upstream: 'provider', atMs: ms / 2, isHedge: true, outcome: 'given_up' },
        ],
      }),
    }
  }
}

/** Streams calls, so many a second, in one event each 100 ms, to as many readers as come. */
export function createLiveCalls(perSecond: () => number, make: (now: number) => LiveCall, now: () => number) {
  const readers = new Set<() => void>()
  return {
    get readers(): number {
      return readers.size
    },
    live(wanted: LiveCallQuery): AdminEvents {
      return (sink) => {
        let owed = 0
        const timer = setInterval(() => {
          owed += perSecond() / 10
          const calls = Array.from({ length: Math.floor(owed) }, () => make(now())).filter((call) =>
            isWanted(call, wanted),
          )
          owed %= 1
          if (calls.length > 200) sink.send('dropped', { count: calls.length - 200 })
          if (calls.length > 0) sink.send('calls', calls.slice(0, 200))
        }, 100)
        const end = (): void => {
          clearInterval(timer)
          readers.delete(end)
        }
        readers.add(end)
        return end
      }
    },
  }
}

function isWanted(call: LiveCall, { network, project, method, outcome, minMs = 0 }: LiveCallQuery): boolean {
  return (
    (network === undefined || call.network === network) &&
    (project === undefined || call.project === project) &&
    (method === undefined || call.method === method) &&
    (outcome === undefined || call.outcome === outcome) &&
    call.ms >= minMs
  )
}
