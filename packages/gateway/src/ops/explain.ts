import { type HttpAnswer, plainAnswer } from '../http/answer.ts'
import type { Explanation } from '../trace/explanation.ts'
import { type CallRecorder, mostFound } from '../trace/recorder.ts'

const explainPath = '/explain'
/** Calls that are told where no id is asked for. */
const mostTold = 20
/** Ids are of this form: a trace id, and the suffixes of calls of a connection and of a batch. */
const form = /^[0-9a-f-]{1,64}(?:\.\d{1,16}){0,2}$/

/** Tells a path that {@link answerExplain} answers. */
export function isExplainPath(path: string): boolean {
  return path === explainPath || path.startsWith(`${explainPath}/`)
}

/** Explains the calls under a trace id, or the last ones that went badly. */
export function explainedBy(
  recorder: Pick<CallRecorder, 'find' | 'last'>,
  id: string | undefined,
): readonly Explanation[] {
  return id === undefined ? recorder.last(mostTold) : recorder.find(id)
}

/**
 * Answers `GET /explain`, with the last calls that went badly, and `GET /explain/<trace id>` with all calls of that id: `{ calls }`, as JSON,
 * the last one first. `ofWorkers`: those that workers remember.
 */
export async function answerExplain(
  path: string,
  recorder: Pick<CallRecorder, 'find' | 'last'>,
  ofWorkers: (id: string | undefined) => Promise<readonly Explanation[]> | undefined = () => undefined,
): Promise<HttpAnswer> {
  const id = path === explainPath ? undefined : path.slice(explainPath.length + 1).toLowerCase()
  if (id !== undefined && !form.test(id)) return notAnId
  const theirs = await ofWorkers(id)
  const own = explainedBy(recorder, id)
  const most = id === undefined ? mostTold : mostFound
  const calls = theirs === undefined ? own : [...own, ...theirs].toSorted(lastFirst).slice(0, most)
  return calls.length === 0 && id !== undefined ? unknown : jsonOf(calls)
}

/** ISO dates of one zone are in the order of their letters. */
const lastFirst = (a: Explanation, b: Explanation): number => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0)

function jsonOf(calls: readonly unknown[]): HttpAnswer {
  return { status: 200, contentType: 'application/json', body: `${JSON.stringify({ calls })}\n`, headers: [] }
}

const notAnId = plainAnswer(400, 'expected a trace id, as in X-Trace-Id: /explain/<trace id>\n')
const unknown = plainAnswer(
  404,
  'no such call is remembered by this gateway: only the last thousand that went well are, and the last few thousand that did not\n',
)
