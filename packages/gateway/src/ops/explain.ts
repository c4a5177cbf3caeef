import { type HttpAnswer, plainAnswer } from '../http/answer.ts'
import type { CallRecorder } from '../trace/recorder.ts'

const explainPath = '/explain'
/** Calls that are told where no id is asked for. */
const mostTold = 20
/** Ids are of this form: a trace id, and the suffixes of calls of a connection and of a batch. */
const form = /^[0-9a-f-]{1,64}(?:\.\d{1,16}){0,2}$/

/** Tells a path that {@link answerExplain} answers. */
export function isExplainPath(path: string): boolean {
  return path === explainPath || path.startsWith(`${explainPath}/`)
}

/** Answers `GET /explain`, with the last calls that went badly, and `GET /explain/<trace id>` with all calls of that id: `{ calls }`, as JSON. */
export function answerExplain(path: string, recorder: Pick<CallRecorder, 'find' | 'last'>): HttpAnswer {
  if (path === explainPath) return jsonOf(recorder.last(mostTold))
  const id = path.slice(explainPath.length + 1).toLowerCase()
  if (!form.test(id)) return notAnId
  const calls = recorder.find(id)
  return calls.length === 0 ? unknown : jsonOf(calls)
}

function jsonOf(calls: readonly unknown[]): HttpAnswer {
  return { status: 200, contentType: 'application/json', body: `${JSON.stringify({ calls })}\n`, headers: [] }
}

const notAnId = plainAnswer(400, 'expected a trace id, as in X-Trace-Id: /explain/<trace id>\n')
const unknown = plainAnswer(
  404,
  'no such call is remembered by this process: only the last thousand that went well are, and the last few thousand that did not\n',
)
