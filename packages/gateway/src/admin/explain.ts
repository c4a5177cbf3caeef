import { type HttpAnswer, plainAnswer } from '@wayleave/http-server'
import type { ExplainCalls, ExplainedCalls } from '../trace/explain-calls.ts'

const explainPath = '/explain'
/** Calls that are told where no id is asked for. */
const mostReported = 20
/** Ids are of this form: a trace id, and the suffixes of calls of a connection and of a batch. */
const form = /^[0-9a-f-]{1,64}(?:\.\d{1,16}){0,2}$/

/** Tells a path that {@link answerExplain} answers. */
export function isExplainPath(path: string): boolean {
  return path === explainPath || path.startsWith(`${explainPath}/`)
}

/**
 * Answers `GET /explain`, with the last calls that went badly, and `GET /explain/<trace id>` with all calls of that id: `{ calls }`, as JSON, and
 * `silent`, the number of workers that gave no answer, where there are some.
 */
export async function answerExplain(path: string, explain: ExplainCalls): Promise<HttpAnswer> {
  if (path === explainPath) return jsonOf(await explain({ count: mostReported }))
  const id = path.slice(explainPath.length + 1).toLowerCase()
  if (!form.test(id)) return notAnId
  const explained = await explain({ id })
  if (explained.calls.length > 0) return jsonOf(explained)
  return explained.silent === 0 ? unknown : unheard(explained.silent)
}

function jsonOf({ calls, silent }: ExplainedCalls): HttpAnswer {
  const body = { calls, ...(silent > 0 && { silent }) }
  return { status: 200, contentType: 'application/json', body: `${JSON.stringify(body)}\n`, headers: [] }
}

function unheard(silent: number): HttpAnswer {
  return plainAnswer(
    503,
    `no such call is remembered by those workers that answered; ${silent} did not in time: ask again\n`,
  )
}

const notAnId = plainAnswer(400, 'expected a trace id, as in X-Trace-Id: /explain/<trace id>\n')
const unknown = plainAnswer(
  404,
  'no such call is remembered here: only the last thousand that went well are, and the last few thousand that did not\n',
)
