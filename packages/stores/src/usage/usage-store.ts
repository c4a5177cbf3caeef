import type { UsageQuery, UsageRow, UsageSum } from '@wayleave/metering'

/** Keeps usage by minute, hour and day. */
export interface UsageStore {
  /**
   * Adds usage, with its sums by hour and day, and resolves once it is on the disk. The process numbers its batches upward and adds them
   * in order; one that was added is ignored, so a batch is repeated, with the same rows in the same order, until it is acknowledged. A
   * large batch is several transactions, each of which notes how far it came. Texts have at most 256 characters.
   * @throws StoresError `invalid`.
   */
  add(process: string, seq: number, rows: readonly UsageRow<string>[]): Promise<void>
  /** The last batch of a process that was added in whole or in part; undefined before the first. */
  lastSeq(process: string): Promise<number | undefined>
  query(query: UsageQuery): Promise<readonly UsageSum[]>
  /**
   * Removes periods that started before a Unix time in ms, and processes that added nothing since `processes`: batches of those
   * must not be repeated any more.
   */
  prune(before: {
    readonly minutes?: number
    readonly hours?: number
    readonly days?: number
    readonly processes?: number
  }): Promise<void>
}
