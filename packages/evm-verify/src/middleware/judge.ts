import type { LogFilter } from '@wayleave/evm-types'
import type { RawJson, RpcContext } from '@wayleave/jsonrpc-core'
import { type LongCheck, type Offload, runCheck } from '../offload.ts'
import type { Verdict } from '../verdict.ts'

/** Runs the checks of one call: those of long answers elsewhere, if there is such a place. */
export interface Judge {
  /** Remembers how long an answer was, in bytes. */
  noteLength(answer: unknown, bytes: number): void
  /** Gives the verdict. `reported`: the answer whose length counts. Default: the one that is checked. */
  judge(check: LongCheck, reported?: unknown): Promise<Verdict>
  /** Holds logs against a filter elsewhere; undefined: they are short, or there is no such place. */
  judgeText(logs: RawJson, filter: LogFilter): Promise<Verdict> | undefined
}

/** Answers up to this length are checked at once, in bytes: some ten transactions, which take 12 ms. */
const shortAnswer = 8 * 1024
/** Logs take less: 64 KiB of them 2 ms. */
const shortLogs = 64 * 1024

export function createJudge(offload: Offload | undefined, context: RpcContext): Judge {
  const lengths = new WeakMap<object, number>()
  return {
    noteLength(answer, bytes) {
      if (typeof answer === 'object' && answer !== null) lengths.set(answer, bytes)
    },
    judge: async (check, reported = check.answer) => {
      const isLong = typeof reported === 'object' && reported !== null && (lengths.get(reported) ?? 0) > shortAnswer
      return offload === undefined || !isLong ? runCheck(check) : offload(check, context)
    },
    judgeText: (logs, filter) =>
      offload === undefined || logs.byteLength <= shortLogs
        ? undefined
        : offload({ check: 'logText', answer: logs.text(), expected: filter }, context),
  }
}
