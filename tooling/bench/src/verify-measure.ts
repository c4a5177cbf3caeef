import { blockSchema } from '@wayleave/evm-types'
import { headerHash } from '@wayleave/evm-verify'
import type { BenchClock } from './defaults.ts'
import { BenchError } from './error.ts'
import { pairedRatios, rotate, summarise, type Summary } from './statistics.ts'
import { createFullBlock, type FullBlock } from './verify-block.ts'
import type { VerifySubject } from './verify-subjects.ts'

/** The cost of verifying the block, for one library. */
interface VerifyFigure {
  readonly name: string
  readonly what: string
  /** CPU milliseconds a block. */
  readonly ms: Summary
  /** Its time over that of the first subject, round by round. */
  readonly ratio: Summary
}

/** The result of one run. */
export interface VerifyResult {
  readonly transactions: number
  readonly types: Readonly<Record<string, number>>
  readonly rounds: number
  /** In the order of the subjects; the first is ours. */
  readonly figures: readonly VerifyFigure[]
  /** CPU milliseconds that checking the form of the block takes. */
  readonly shapeMs: Summary
  /** CPU microseconds that the hash of its header takes. */
  readonly headerMicros: Summary
}

/** How much is measured. */
export interface VerifyPlan {
  readonly transactions: number
  readonly rounds: number
  /** Runs in a round of the measurements that take microseconds. */
  readonly repeats: number
}

/**
 * Measures the subjects in interleaved rounds, whose order turns, after a round to warm up. CPU time of this process, garbage
 * collection included. @throws BenchError if a subject finds fault with the block, which is correct.
 */
export async function measureVerify(
  subjects: readonly VerifySubject[],
  plan: VerifyPlan,
  clock: Pick<BenchClock, 'cpu'>,
  onRound: (round: number) => void = () => {},
): Promise<VerifyResult> {
  const full = createFullBlock(plan.transactions)
  const times = subjects.map((subject): { readonly subject: VerifySubject; readonly ms: number[] } => {
    return { subject, ms: [] }
  })
  const shape: number[] = []
  const header: number[] = []
  for (const subject of subjects) await subject.verify(full)
  timeShape(full, plan.repeats, clock)
  timeHeader(full, plan.repeats * 10, clock)
  for (let round = 0; round < plan.rounds; round++) {
    for (const { subject, ms } of rotate(times, round)) {
      const start = clock.cpu()
      await subject.verify(full)
      ms.push(clock.cpu() - start)
    }
    shape.push(timeShape(full, plan.repeats, clock))
    header.push(timeHeader(full, plan.repeats * 10, clock) * 1000)
    onRound(round + 1)
  }
  const base = times[0]!.ms
  return {
    transactions: full.block.transactions.length,
    types: Object.fromEntries(full.types),
    rounds: plan.rounds,
    figures: times.map(({ subject: { name, what }, ms }) => {
      return { name, what, ms: summarise(ms), ratio: summarise(pairedRatios(ms, base)) }
    }),
    shapeMs: summarise(shape),
    headerMicros: summarise(header),
  }
}

/** Measures the mean of a round, so that garbage collections count. */
function timeShape({ block }: FullBlock, repeats: number, clock: Pick<BenchClock, 'cpu'>): number {
  const start = clock.cpu()
  for (let i = 0; i < repeats; i++) {
    if (blockSchema.check(block, '') !== undefined)
      throw new BenchError('wrong_answer', 'a right block has a wrong form')
  }
  return (clock.cpu() - start) / repeats
}

function timeHeader({ block }: FullBlock, repeats: number, clock: Pick<BenchClock, 'cpu'>): number {
  const start = clock.cpu()
  for (let i = 0; i < repeats; i++) {
    if (headerHash(block) !== block.hash) throw new BenchError('wrong_answer', 'a right header has another hash')
  }
  return (clock.cpu() - start) / repeats
}

/** A promise about verification, and its measurement. */
export interface VerifyBar {
  readonly name: string
  readonly target: string
  readonly measured: string
  readonly isMet: boolean
}

/** Judges a result: faster than each other library, a shape under 2 ms, a header under 50 microseconds. */
export function judgeVerify({ figures, shapeMs, headerMicros }: VerifyResult): readonly VerifyBar[] {
  return [
    ...figures.slice(1).map(({ name, ratio }): VerifyBar => {
      const measured = `${ratio.median.toFixed(2)} x our time`
      return { name: `a full block, beside ${name}`, target: 'faster than it', measured, isMet: ratio.median > 1 }
    }),
    {
      name: 'the shape of the block',
      target: 'under 2 ms',
      measured: `${shapeMs.median.toFixed(2)} ms`,
      isMet: shapeMs.median < 2,
    },
    {
      name: 'the hash of a header',
      target: 'under 50 µs',
      measured: `${headerMicros.median.toFixed(1)} µs`,
      isMet: headerMicros.median < 50,
    },
  ]
}
