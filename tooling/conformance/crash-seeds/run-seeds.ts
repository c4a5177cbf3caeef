import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openStores, type StoresOptions } from '@wayleave/stores'
import { runSeed, type SeedResult } from './run-seed.ts'

export interface SeedsOptions {
  /** The first seed. */
  readonly from: number
  readonly seeds: number
  /** The URL of a PostgreSQL database; undefined: SQLite, a file for each seed. */
  readonly postgres: string | undefined
  /** Seeds that run at once. */
  readonly atOnce: number
  readonly folder: string
  /** Called with each result. */
  readonly onResult?: ((result: SeedResult) => void) | undefined
}

/** Sums over seeds. */
export interface SeedsResult {
  readonly seeds: number
  readonly kills: number
  readonly counted: number
  readonly lost: number
  /** Ends of processes by their moment. */
  readonly ends: ReadonlyMap<string, number>
  readonly wrong: readonly { readonly seed: number; readonly sentence: string }[]
}

/** Runs seeds one after the other, some at once. */
export async function runSeeds(options: SeedsOptions): Promise<SeedsResult> {
  const { from, seeds, postgres, atOnce, folder, onResult } = options
  await mkdir(folder, { recursive: true })
  const store: StoresOptions = postgres === undefined ? { sqlite: join(folder, 'empty.sqlite') } : { postgres }
  await (await openStores(store)).close()
  const results: SeedResult[] = []
  let next = from
  async function work(): Promise<void> {
    while (next < from + seeds) {
      const result = await runSeed({ seed: next++, store, folder })
      results.push(result)
      onResult?.(result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const ends = new Map<string, number>()
  for (const end of results.flatMap((result) => result.ends)) ends.set(end, (ends.get(end) ?? 0) + 1)
  return {
    seeds: results.length,
    kills: results.flatMap((result) => result.ends).filter((end) => end !== 'closed').length,
    counted: results.reduce((sum, { counted }) => sum + counted, 0),
    lost: results.reduce((sum, { lost }) => sum + lost, 0),
    ends,
    wrong: results.flatMap(({ seed, wrong }) => wrong.map((sentence) => ({ seed, sentence }))),
  }
}

/** Prints sums for a person. */
export function printSeeds(name: string, { seeds, kills, counted, lost, ends, wrong }: SeedsResult): string {
  const moments = [...ends].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([end, count]) => `${end} ${count}`)
  return [
    `${name}: ${seeds} seeds, ${kills} kills, ${counted} calls counted; ${lost} lost, all counted after the last flush; ${wrong.length} violations`,
    `  ends: ${moments.join(', ')}`,
    ...wrong.slice(0, 20).map(({ seed, sentence }) => `  seed ${seed}: ${sentence}`),
  ].join('\n')
}
