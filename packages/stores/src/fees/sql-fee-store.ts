import type { Kysely } from 'kysely'
import { StoresError } from '../error.ts'
import type { FeeBlock, FeeRecord, FeeStore } from './fee-store.ts'
import { type BaseFeeTable, loadBaseFees, saveBaseFees, weiOf } from './sql-base-fees.ts'

/** The tables of `migrations/fees.ts`, as the newest migration leaves them. */
type FeeTables = BaseFeeTable & {
  /** One row a network. */
  readonly fee_networks: {
    readonly network: string
    readonly head_hash: string
    /** JSON: an array of numbers. */
    readonly percentiles: string
  }
  readonly fee_blocks: BlockRow & { readonly network: string }
}

interface BlockRow {
  /** PostgreSQL gives 64-bit integers as text. */
  readonly number: number | string
  /** Decimal digits, wei. */
  readonly base_fee_per_gas: string
  readonly gas_used_ratio: number
  /** JSON: an array of decimal digits, wei. */
  readonly rewards: string | null
}

/** Each row has five parameters; SQLite takes 32,766 in a statement. */
const rowsInStatement = 1_000

/** Keeps fee records in SQL that both databases understand. */
export function createSqlFeeStore(database: Kysely<object>): FeeStore {
  const db = database.$extendTables<FeeTables>()
  return {
    async load(network) {
      // One statement: a save of another process happens entirely before it or after it.
      const rows = await db
        .selectFrom('fee_blocks')
        .innerJoin('fee_networks', 'fee_networks.network', 'fee_blocks.network')
        .where('fee_blocks.network', '=', network)
        .select(['number', 'base_fee_per_gas', 'gas_used_ratio', 'rewards', 'head_hash', 'percentiles'])
        .orderBy('number')
        .execute()
      const first = rows[0]
      if (first === undefined) return undefined
      try {
        const percentiles = JSON.parse(first.percentiles) as readonly number[]
        const blocks = rows.map(blockOf)
        const earlier = await loadBaseFees(db, network, blocks[0]!.number)
        return { percentiles, headHash: first.head_hash, blocks, ...(earlier && { earlier }) }
      } catch (cause) {
        if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause
        throw new StoresError('corrupt', `the blocks of network "${network}" are not what was written`, { cause })
      }
    },

    async save(network, { percentiles, headHash, blocks, earlier }: FeeRecord) {
      const head = { head_hash: headHash, percentiles: JSON.stringify(percentiles) }
      await db.transaction().execute(async (transaction) => {
        // Comes first: PostgreSQL locks this row, so another save of the same network waits here.
        await transaction
          .insertInto('fee_networks')
          .values({ network, ...head })
          .onConflict((conflict) => conflict.column('network').doUpdateSet(head))
          .execute()
        await transaction
          .deleteFrom('fee_blocks')
          .where('network', '=', network)
          .where(({ eb, or }) => or([eb('number', '<', blocks[0]!.number), eb('number', '>', blocks.at(-1)!.number)]))
          .execute()
        // Most blocks were saved before; writing them again would take ten times as long.
        const kept = await transaction
          .selectFrom('fee_blocks')
          .where('network', '=', network)
          .select(['number', 'base_fee_per_gas', 'gas_used_ratio', 'rewards'])
          .execute()
        const keptByNumber = new Map(kept.map((row) => [Number(row.number), row]))
        const changed = blocks
          .map((block) => rowOf(network, block))
          .filter((row) => !isSame(row, keptByNumber.get(Number(row.number))))
        await saveBaseFees(transaction, network, earlier)
        for (let i = 0; i < changed.length; i += rowsInStatement) {
          await transaction
            .insertInto('fee_blocks')
            .values(changed.slice(i, i + rowsInStatement))
            .onConflict((conflict) =>
              conflict.columns(['network', 'number']).doUpdateSet(({ ref }) => ({
                base_fee_per_gas: ref('excluded.base_fee_per_gas'),
                gas_used_ratio: ref('excluded.gas_used_ratio'),
                rewards: ref('excluded.rewards'),
              })),
            )
            .execute()
        }
      })
    },
  }
}

function rowOf(network: string, { number, baseFeePerGas, gasUsedRatio, rewards }: FeeBlock): FeeTables['fee_blocks'] {
  return {
    network,
    number,
    base_fee_per_gas: String(baseFeePerGas),
    gas_used_ratio: gasUsedRatio,
    rewards: rewards === undefined ? null : JSON.stringify(rewards.map(String)),
  }
}

function isSame(row: BlockRow, kept: BlockRow | undefined): boolean {
  return (
    kept !== undefined &&
    row.base_fee_per_gas === kept.base_fee_per_gas &&
    row.gas_used_ratio === kept.gas_used_ratio &&
    row.rewards === kept.rewards
  )
}

/** Reads a row that {@link rowOf} wrote. @throws SyntaxError, TypeError for any other. */
function blockOf({ number, base_fee_per_gas, gas_used_ratio, rewards }: BlockRow): FeeBlock {
  return {
    number: Number(number),
    baseFeePerGas: weiOf(base_fee_per_gas),
    gasUsedRatio: gas_used_ratio,
    rewards: rewards === null ? undefined : (JSON.parse(rewards) as readonly string[]).map(weiOf),
  }
}
