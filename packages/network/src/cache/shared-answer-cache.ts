import type { KeptAnswer, SharedCache } from '@wayleave/rpc-cache'
import type { Candidate } from '@wayleave/upstream'

/** The answers of a network that replicas share. */
export interface NetworkAnswers extends SharedCache {
  /** Reads an answer that no call waits for, within a second. Never rejects. */
  read(key: string): Promise<KeptAnswer | undefined>
}

/** A cache that replicas share through a Redis of its own. Its loss costs no call. */
export interface SharedAnswerCache {
  /** Why it cannot be used now, in words that anybody may read; undefined where it can. */
  fault(): string | undefined
  /**
   * Returns the answers of a network. `scope`: all that decides which answers are right and allowed there. Replicas whose scopes differ
   * share none, as while a new configuration reaches them one after the other.
   */
  of(scope: readonly (string | number | boolean)[], upstreams: readonly Pick<Candidate, 'health'>[]): NetworkAnswers
  close(): Promise<void>
}
