import type { Explanation } from './explanation.ts'
import { type CallRecorder, mostFound } from './recorder.ts'

/** A question to the processes of a gateway: for the calls under an id, or the last ones that went badly. */
export type ExplainQuestion = { readonly id: string } | { readonly count: number }

/** The answers of all processes, the last call first. */
export interface ExplainedCalls {
  readonly calls: readonly Explanation[]
  /** Processes that did not answer in time: what they remember is missing. */
  readonly silent: number
}

/** Explains calls, whichever process of the gateway they came to. */
export type ExplainCalls = (question: ExplainQuestion) => Promise<ExplainedCalls>

/** Answers a question with what one process remembers. */
export function explainOwn(
  recorder: Pick<CallRecorder, 'find' | 'last'>,
  question: ExplainQuestion,
): readonly Explanation[] {
  return 'id' in question ? recorder.find(question.id) : recorder.last(question.count)
}

/**
 * Makes a function that explains calls of this process and of its workers. `ofWorkers` resolves with what each of them remembers, undefined of
 * one that gave no answer in time; it returns undefined where there are none.
 */
export function createExplainCalls(
  recorder: Pick<CallRecorder, 'find' | 'last'>,
  ofWorkers: (question: ExplainQuestion) => Promise<readonly (readonly Explanation[] | undefined)[]> | undefined,
): ExplainCalls {
  return async (question) => {
    const reported = [explainOwn(recorder, question), ...((await ofWorkers(question)) ?? [])]
    const calls = reported
      .flatMap((some) => some ?? [])
      .toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
    const most = 'id' in question ? mostFound : question.count
    return { calls: calls.slice(0, most), silent: reported.filter((some) => some === undefined).length }
  }
}
