import { array, integer, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { type Problem, problems } from '../problem.ts'
import { exact } from './fields.ts'

/** The body of refusals. */
export const problem: Schema<Problem> = exact<Problem>('a problem (RFC 9457)', {
  title: text('a title of its kind'),
  status: integer('the HTTP status', 400, 599),
  code: oneOf(...(Object.keys(problems) as Problem['code'][])),
  detail: text('an explanation'),
  issues: optional(
    array(
      exact<{ readonly path: string; readonly message: string }>('a wrong value', {
        path: text('its place, such as rules.methods[0] or query.limit'),
        message: text('an explanation'),
      }),
    ),
  ),
})
