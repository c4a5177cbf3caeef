import type { RpcContext } from '@wayleave/jsonrpc-core'
import type { KeptAnswer } from './kept-answer.ts'

/** A cache behind the memory, shared by processes. Its loss costs no call: no method throws or rejects, and each gives up by itself. */
export interface SharedCache {
  /** Returns an answer; undefined at once where there is no sense in waiting. The promise resolves within the wait that its maker allows. */
  get(key: string, context: RpcContext): Promise<KeptAnswer | undefined> | undefined
  /** Keeps an answer for about `forMs`, which is infinite for a final one. Returns at once. */
  set(key: string, kept: KeptAnswer, forMs: number): void
}
