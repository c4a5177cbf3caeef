import { percentile } from '../starvation/measure/percentile.ts'
import { type ProxyProcess, startProxy } from '../test/support/proxy-process.ts'
import { lookAtLatest, lookAtPending, nothingSeen, type Seen } from './callers.ts'
import { type OpRig, startOpRig } from './op-rig.ts'

/** A gateway with its callers: one looks at what is not sealed, another one of another project at the latest block alone. */
export interface Side {
  readonly looker: Seen
  readonly other: Seen
  /** Times from when the nodes had a block until `latest` was it, in ms. */
  readonly headMs: number[]
  /** p99 of the times of calls for `latest`, by round. */
  readonly p99s: number[]
}

export interface Rounds {
  readonly rounds: number
  readonly seconds: number
}

const [looker, other] = ['1'.repeat(32), '2'.repeat(32)]

/** Runs rounds at a gateway with a node with flashblocks, and at one without, in turns, before the same chain: a block each 2 s, a part each 200 ms. */
export async function runRounds({ rounds, seconds }: Rounds): Promise<{ readonly with: Side; readonly without: Side }> {
  // Source: base/base#979: nodes have a block some 136 ms after the first flashblock of the next one.
  await using rig = await startOpRig({ blockMs: 2_000, partMs: 200, lateMs: 136 })
  await using withNode = await startGateway(rig, [rig.plain[0], rig.flashblocks])
  await using without = await startGateway(rig, rig.plain)
  const sides = { with: newSide(), without: newSide() }
  for (let round = 0; round < rounds * 2; round++) {
    // Each goes first in every other pair.
    const isWith = (round % 2 === 0) === round % 4 < 2
    await runRound(isWith ? withNode : without, rig, isWith ? sides.with : sides.without, isWith, seconds * 1_000)
  }
  return sides
}

const newSide = (): Side => ({ looker: nothingSeen(), other: nothingSeen(), headMs: [], p99s: [] })

async function startGateway(rig: OpRig, nodes: readonly { readonly url: string; readonly ws: string }[]) {
  return startProxy({
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    projects: [looker, other].map((own) => ({ name: own, keys: [{ key: own }] })),
    networks: {
      base: { kind: 'evm', chainId: rig.chain.chainId, upstreams: nodes.map(({ url, ws }) => ({ url, ws })) },
    },
  })
}

async function runRound({ rpc }: ProxyProcess, rig: OpRig, side: Side, isWith: boolean, ms: number): Promise<void> {
  const urlOf = (own: string): string => `${rpc}/v3/${own}`
  // The first calls of a round find connections and nodes.
  const warmUntil = performance.now() + 1_000
  const isWarm = (): boolean => performance.now() > warmUntil
  const warming = nothingSeen()
  await Promise.all([
    lookAtPending(urlOf(looker), rig, warming, isWarm, isWith),
    lookAtLatest(urlOf(other), warming, isWarm),
  ])
  side.other.seenAt.clear()
  const before = side.other.latestMs.length
  const from = performance.now()
  const isOver = (): boolean => performance.now() > from + ms
  await Promise.all([
    lookAtPending(urlOf(looker), rig, side.looker, isOver, isWith),
    lookAtLatest(urlOf(other), side.other, isOver),
  ])
  side.p99s.push(percentile(side.other.latestMs.slice(before), 99))
  for (const [height, seenAt] of side.other.seenAt) {
    const heldAt = rig.heldAt.get(height)
    if (heldAt !== undefined && heldAt > from) side.headMs.push(seenAt - heldAt)
  }
}
