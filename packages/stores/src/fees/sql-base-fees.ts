import type { Kysely, Transaction } from 'kysely'
import type { BaseFeeRun } from './fee-store.ts'

/** The table of `migrations/base-fees.ts`. */
export type BaseFeeTable = {
  /** One row for each thousand of block numbers. */
  readonly fee_base_fees: PartRow & { readonly network: string }
}

interface PartRow {
  /** The block numbers divided by 1,000. PostgreSQL gives 64-bit integers as text. */
  readonly part: number | string
  readonly first_number: number | string
  readonly last_number: number | string
  /** Decimal digits in wei, separated by spaces, for each number from the first to the last. */
  readonly base_fees: string
}

/** Block numbers in a row: few rows are written for a new block, and 20,000 are read in 20. */
const partSize = 1_000

/**
 * Loads the run of base fees that ends right before a block; undefined if none is kept.
 * @throws SyntaxError for rows that {@link saveBaseFees} did not write.
 */
export async function loadBaseFees(
  db: Kysely<BaseFeeTable>,
  network: string,
  before: number,
): Promise<BaseFeeRun | undefined> {
  const rows = await db
    .selectFrom('fee_base_fees')
    .where('network', '=', network)
    .select(['first_number', 'last_number', 'base_fees'])
    .orderBy('part', 'desc')
    .execute()
  const parts: (readonly bigint[])[] = []
  let firstNumber = before
  for (const { first_number, last_number, base_fees } of rows) {
    const fees = base_fees.split(' ').map(weiOf)
    const [first, last] = [Number(first_number), Number(last_number)]
    if (fees.length !== last + 1 - first) throw new SyntaxError('a base fee for each block was expected')
    // Another process may have saved a newer run since the blocks were read.
    const kept = fees.slice(0, Math.max(0, firstNumber - first))
    if (kept.length === 0) continue
    if (last < firstNumber - 1) break
    parts.unshift(kept)
    firstNumber = first
  }
  return parts.length === 0 ? undefined : { firstNumber, baseFees: parts.flat() }
}

/** Replaces a network's run; only parts that have changed are written. The caller holds the network's lock. */
export async function saveBaseFees(
  db: Transaction<BaseFeeTable>,
  network: string,
  run: BaseFeeRun | undefined,
): Promise<void> {
  const parts = partsOf(run)
  const keep = parts.map(({ part }) => part)
  await db
    .deleteFrom('fee_base_fees')
    .where('network', '=', network)
    .$if(keep.length > 0, (query) => query.where('part', 'not in', keep))
    .execute()
  if (parts.length === 0) return
  const kept = await db
    .selectFrom('fee_base_fees')
    .where('network', '=', network)
    .select(['part', 'first_number', 'base_fees'])
    .execute()
  const keptByPart = new Map(kept.map((row) => [Number(row.part), row]))
  const changed = parts.filter((row) => {
    const before = keptByPart.get(row.part)
    return before?.base_fees !== row.base_fees || Number(before.first_number) !== row.first_number
  })
  if (changed.length === 0) return
  await db
    .insertInto('fee_base_fees')
    .values(changed.map((row) => ({ network, ...row })))
    .onConflict((conflict) =>
      conflict.columns(['network', 'part']).doUpdateSet(({ ref }) => ({
        first_number: ref('excluded.first_number'),
        last_number: ref('excluded.last_number'),
        base_fees: ref('excluded.base_fees'),
      })),
    )
    .execute()
}

function partsOf(run: BaseFeeRun | undefined): readonly (PartRow & { readonly part: number })[] {
  if (run === undefined || run.baseFees.length === 0) return []
  const { firstNumber, baseFees } = run
  const end = firstNumber + baseFees.length - 1
  const parts = []
  for (let part = Math.floor(firstNumber / partSize); part * partSize <= end; part += 1) {
    const first = Math.max(firstNumber, part * partSize)
    const last = Math.min(end, (part + 1) * partSize - 1)
    const fees = baseFees.slice(first - firstNumber, last + 1 - firstNumber)
    parts.push({ part, first_number: first, last_number: last, base_fees: fees.join(' ') })
  }
  return parts
}

/** Reads decimal digits. `BigInt` alone would accept signs, and read an empty text as 0. */
export function weiOf(digits: string): bigint {
  if (/^\d+$/.test(digits)) return BigInt(digits)
  throw new SyntaxError('decimal digits were expected')
}
