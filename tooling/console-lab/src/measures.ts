import type {
  GasBlockRecord,
  GasPort,
  GasRecord,
  NetworkPort,
  NetworkRecord,
  ReplayPort,
  ReplaySide,
  StreamPort,
  TrafficPort,
} from '@wayleave/admin-api'
import { createRandom } from './random.ts'
import { dailySwing } from './world.ts'

/** Traffic of the last day, the same for the same moments. */
export function trafficOf(since: number, now: () => number): TrafficPort {
  return {
    since,
    points(step, from, to) {
      const first = Math.max(from, since, now() - (step === 10_000 ? 3_600_000 : 86_400_000))
      const points = []
      for (let at = Math.ceil(first / step) * step; at < Math.min(to, now()); at += step) {
        const random = createRandom(at / 1_000)
        const swing = dailySwing(at) * (0.9 + random() * 0.2)
        const isTrouble = (at / 60_000) % 97 < 4
        const calls = Math.round((step / 1_000) * 240 * swing)
        const asked = Math.round(calls * 0.7)
        points.push({
          at,
          calls,
          errors: Math.round(calls * (isTrouble ? 0.03 : 0.001) * random()),
          p50: 4 + swing + random(),
          p99: (isTrouble ? 180 : 48) + 30 * swing * random(),
          cacheHits: Math.round(asked * (0.58 + 0.08 * random())),
          cacheAsked: asked,
          sockets: Math.round(180 * swing),
          streams: Math.round(24 * swing),
        })
      }
      return points
    },
    times: (_step, from, to) => (from < to && to > since ? { p50: 4.8, p99: 61 } : {}),
    open: () => ({ calls: 7, oldestMs: 840, network: 'mainnet' }),
  }
}

/** Fees of a network whose blocks come each 12 s. */
export function gasOf(now: () => number): GasPort {
  const blockOf = (number: number): GasBlockRecord => {
    const random = createRandom(number)
    const wave = 1.6 + 0.7 * Math.sin(number / 23) + 0.25 * Math.sin(number / 5) + random() * 0.12
    return {
      blockNumber: number,
      at: number * 12_000,
      baseFee: wave.toFixed(3),
      low: (wave * 1.04 + 0.05).toFixed(3),
      medium: (wave * 1.18 + 0.3).toFixed(3),
      high: (wave * 1.42 + 0.9).toFixed(3),
    }
  }
  const record = (): GasRecord => {
    const blockNumber = Math.floor(now() / 12_000)
    const { low, medium, high, baseFee } = blockOf(blockNumber)
    const level = (tip: string, fee: string, blocks: number) => ({
      suggestedMaxPriorityFeePerGas: tip,
      suggestedMaxFeePerGas: fee,
      minWaitTimeEstimate: 12_000,
      maxWaitTimeEstimate: blocks * 12_000,
    })
    return {
      network: 'mainnet',
      chainId: 1,
      blockNumber,
      ageMs: now() % 12_000,
      suggested: {
        low: level('0.05', low, 6),
        medium: level('0.3', medium, 3),
        high: level('0.9', high, 1),
        estimatedBaseFee: baseFee,
        networkCongestion: 0.62,
        latestPriorityFeeRange: ['0.01', '2.4'],
        historicalPriorityFeeRange: ['0', '31'],
        historicalBaseFeeRange: ['0.7', '3.1'],
        priorityFeeTrend: 'level',
        baseFeeTrend: 'up',
      },
      promises: {
        low: { withinBlocks: 6, probability: 0.95, kept: 281, broken: 13, pending: 6 },
        medium: { withinBlocks: 3, probability: 0.95, kept: 290, broken: 7, pending: 3 },
        high: { withinBlocks: 1, probability: 0.95, kept: 297, broken: 2, pending: 1 },
      },
      since: now() - 3_600_000,
    }
  }
  return {
    list: async () => [record()],
    async find(network) {
      if (network !== 'mainnet') return undefined
      const own = record()
      return { ...own, history: Array.from({ length: 300 }, (_, i) => blockOf(own.blockNumber - 299 + i)) }
    },
  }
}

export const streams: StreamPort = {
  list: async () => [
    {
      network: 'mainnet',
      sockets: 184,
      eventStreams: 21,
      kinds: [
        { kind: 'newHeads', subscribers: 162 },
        { kind: 'logs', subscribers: 88 },
        { kind: 'newPendingTransactions', subscribers: 3 },
      ],
      filters: [
        { project: 'indexer', count: 14 },
        { project: 'analytics', count: 2 },
      ],
      relays: 3,
    },
    {
      network: 'base',
      sockets: 12,
      eventStreams: 0,
      kinds: [{ kind: 'newHeads', subscribers: 12 }],
      filters: [],
      relays: 0,
    },
    { network: 'starknet', sockets: 0, eventStreams: 0, kinds: [], filters: [], relays: 0 },
  ],
}

/** A file that sends reads of mainnet to a second node, and takes base away. */
export const replay: ReplayPort = {
  run: async () => ({
    calls: 1_903,
    from: Date.UTC(2026, 10, 28, 9, 30),
    to: Date.UTC(2026, 10, 28, 9, 34, 12),
    changes: [
      'networks.base is removed',
      'networks.mainnet.policy is added',
      'networks.mainnet.upstreams[1].weight changes from 1 to 3',
    ],
    needsRestart: [],
    problems: [],
    refused: [
      { reason: 'network', what: 'base', calls: 214 },
      { reason: 'method', what: 'debug_traceCall', calls: 9 },
    ],
    networks: [
      {
        name: 'mainnet',
        present: replaySide(18.4, 96, [1_102, 402, 31], 620),
        changed: replaySide(14.1, 71.5, [322, 1_190, 4], 80),
      },
      { name: 'base', present: replaySide(31.2, 140, [214], undefined) },
    ],
  }),
}

function replaySide(p50Ms: number, p95Ms: number, asked: readonly number[], units: number | undefined): ReplaySide {
  const names = ['own-1', 'own-2', 'provider']
  return {
    calls: asked.reduce((sum, count) => sum + count, 0),
    failed: 0,
    p50Ms,
    p95Ms,
    decisionUs: 2.4,
    policyFaults: 0,
    upstreams: asked.map((count, i) => ({
      name: names[i]!,
      asked: count,
      ...(i === 2 && units !== undefined && { units }),
    })),
  }
}

/** Upstreams of three networks, one of which is behind. */
export function networksOf(now: () => number): NetworkPort & { status(): object; metrics(): string } {
  const cordons = new Map<string, string>([['mainnet provider', 'the quota of November is nearly spent']])
  const list = (): readonly NetworkRecord[] => {
    const head = Math.floor(now() / 12_000)
    const upstream = (network: string, name: string, at: number, lag = 0, reason?: string) => {
      const cordoned = cordons.get(`${network} ${name}`)
      return {
        name,
        isUp: reason === undefined && cordoned === undefined,
        ...((cordoned ?? reason) !== undefined && { reason: cordoned ?? reason }),
        ...(cordoned !== undefined && { cordoned }),
        head: at - lag,
        lag,
      }
    }
    return [
      {
        name: 'mainnet',
        upstreams: [
          upstream('mainnet', 'own-1', head),
          upstream('mainnet', 'own-2', head),
          upstream('mainnet', 'provider', head, 1),
        ],
      },
      {
        name: 'base',
        upstreams: [
          upstream('base', 'own', head * 6),
          upstream('base', 'provider', head * 6, 31, '31 blocks behind the others'),
        ],
      },
      { name: 'starknet', upstreams: [upstream('starknet', 'juno', Math.floor(head / 3))] },
    ]
  }
  return {
    list,
    cordon(network, upstream, reason) {
      if (
        list()
          .find(({ name }) => name === network)
          ?.upstreams.some(({ name }) => name === upstream) !== true
      )
        return false
      if (reason === undefined) cordons.delete(`${network} ${upstream}`)
      else cordons.set(`${network} ${upstream}`, reason)
      return true
    },
    metrics: () =>
      list()
        .flatMap(({ name: network, upstreams }) =>
          upstreams.flatMap(({ name, isUp }, i) => {
            const labels = `{network="${network}",endpoint="${name}"`
            const calls = isUp ? Math.floor((now() % 86_400_000) / 9) / (i + 1) : 4_000
            return [
              `wayleave_upstream_calls_total${labels},purpose="caller"} ${calls}`,
              `wayleave_upstream_failures_total${labels},failure="timeout"} ${Math.floor(calls / 900)}`,
              `wayleave_upstream_seconds_count${labels}} ${calls}`,
              `wayleave_upstream_seconds_sum${labels}} ${calls * (0.018 + 0.011 * i)}`,
              `wayleave_upstream_breaker${labels}} ${isUp || name === 'provider' ? 0 : 1}`,
            ]
          }),
        )
        .join('\n'),
    status: () => {
      const networks = list().map(({ name, upstreams }) => {
        const up = upstreams.filter(({ isUp }) => isUp).length
        const state = up === upstreams.length ? 'ok' : up === 0 ? 'down' : 'degraded'
        return [
          name,
          {
            state,
            upstreams: upstreams.map(({ name: own, isUp, reason, cordoned, head, lag }) => ({
              name: own,
              state: isUp ? 'ok' : 'down',
              ...(reason !== undefined && { reason }),
              ...(cordoned !== undefined ? { out: 'cordoned' } : isUp ? {} : { out: 'behind' }),
              chain: 'right',
              health: isUp || cordoned !== undefined ? 'good' : 'behind',
              head,
              lag,
            })),
          },
        ] as const
      })
      const degraded = networks.flatMap(([name, { state }]) => (state === 'ok' ? [] : [`network:${name}`]))
      return {
        phase: 'running',
        degraded,
        networks: Object.fromEntries(networks),
        store: { kind: 'sqlite', state: 'ok' },
      }
    },
  }
}
