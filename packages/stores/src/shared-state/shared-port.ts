/**
 * A number as processes exchange it. Of two with the same key the later epoch wins, and within one epoch the higher number; of equals the
 * note that came first stays. `forMs`: the time for which it is still to be remembered.
 */
export type SharedNumber = readonly [key: string, epoch: number, number: number, note: string, forMs: number]

/** A number that holds in this process. */
export interface HeldNumber {
  readonly epoch: number
  readonly number: number
  readonly note: string
}

/** The bounds of a set of numbers, the same in all processes. */
export interface NumbersOptions {
  /** Keys that are kept; the one set longest ago goes first. */
  readonly most: number
  /** Time for which a number is remembered after it was set last, in ms. */
  readonly forMs: number
  /** Whether a process that may miss messages reads all numbers again every half second: for few that matter. Default false. */
  readonly isReread?: boolean
}

/** Numbers that never fall, by key. Reads answer from a copy in this process; what is set here reaches the others in the background. */
export interface SharedNumbers {
  /** The number that holds at a time of the clock, which is now by default. */
  get(key: string, now?: number): HeldNumber | undefined
  /** All numbers that hold, by key, the one set longest ago first. */
  list(): readonly (readonly [key: string, number: HeldNumber])[]
  /** Raises a number, as of a time of the clock, which is now by default; a lower one changes nothing. `forMs`: other than the usual one. */
  max(key: string, number: number, note?: string, now?: number, forMs?: number): void
  /** Begins a new epoch of a number, which may be lower than the last. */
  reset(key: string, number: number): void
  /**
   * Resolves when all processes know what was set here so far, and it is known here what they had set: with false where they cannot be reached,
   * and are given it later. Rejects where it is not safe to go on without them. Undefined where no other process shares the numbers.
   */
  settled?(): Promise<boolean>
  /** Calls `listener`, which must not throw, with each number that another process has raised, and that was not known here. */
  watch(listener: (number: SharedNumber) => void): () => void
}

/** A key's count of this process, and the total that it last heard. */
export interface OwnCount {
  readonly key: string
  /** Counted by this process in all. */
  readonly mine: number
  /** The part of it that the others know of: 0, or `mine` of the last answer. */
  readonly said: number
  /** The last answer; 0 and empty before the first. */
  readonly known: TotalCount
  /** Time for which the count is kept, in ms. */
  readonly forMs: number
}

/** The count of all processes. `epoch` names the memory that keeps it. */
export interface TotalCount {
  readonly total: number
  readonly epoch: string
}

/** State that several processes share. */
export interface SharedPort {
  /** The numbers of a name; the same ones for the same name. */
  numbers(name: string, options: NumbersOptions): SharedNumbers
  /**
   * Adds what this process has counted since its last word, which it may say twice. Resolves with the totals of all, in the same order, and the
   * number of processes that count under the name. Rejects where they cannot be reached.
   */
  add(name: string, counts: readonly OwnCount[]): Promise<{ processes: number; totals: readonly TotalCount[] }>
  /**
   * Runs `work` every `ms` while others can be reached, and when they can be again: there a process is counted while it is heard. Undefined where
   * each is known without that.
   */
  readonly every: ((ms: number, work: () => Promise<void>) => void) | undefined
  /** The least number of processes to reckon with while others cannot be reached; undefined: they can be. */
  apart(): number | undefined
}
