import { boolean, integer, oneOf, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { defaultsOf, exact, headers, numberThat, required, setting, stringThat } from '@wayleave/network/config'
import { usualProjects } from '../telemetry/project-label.ts'

const part = numberThat('a number from 0 to 1', (value) => value >= 0 && value <= 1, { minimum: 0, maximum: 1 })

const accessMembers = {
  sample: setting(shown(part), 'The part of all calls that get a line, drawn by chance: from 0, none, to 1, all.', 0),
}
const access = exact('{ sample? }', accessMembers)

export const log = exact('{ level?, format?, access? }', {
  level: setting(
    shown(oneOf('debug', 'info', 'warn', 'error', 'silent')),
    'The least level of lines. Default `info`, and `warn` for a gateway in another program.',
  ),
  format: setting(shown(oneOf('json', 'text')), 'A JSON object a line, or text for people.', 'json'),
  access: setting(access, 'Lines of single calls, at level `info`.'),
})

export const metrics = exact('{ maxProjects? }', {
  maxProjects: setting(
    shown(integer('a whole number of projects from 0 to 10,000', 0, 10_000)),
    'Most projects beside those of `projects` whose metrics are told apart; the first that call.',
    usualProjects,
  ),
})

const tracingMembers = {
  endpoint: required(
    stringThat(
      'an http or https URL with a path, such as http://collector:4318/v1/traces',
      (value) => /^https?:/i.test(value) && URL.canParse(value) && new URL(value).pathname !== '/',
    ),
    'The URL that takes traces, such as `http://collector:4318/v1/traces`.',
  ),
  sample: setting(shown(part), 'The part of the requests that are traced, 0 to 1.', 0.01),
  headers: setting(headers, 'Headers of the requests to the collector, such as `authorization`.'),
  callersPerSecond: setting(
    shown(integer('a whole number of requests a second, from 0 to 10,000', 0, 10_000)),
    "Requests in a second that are traced beside those, as their callers' `traceparent` is sampled; 0: none.",
    10,
  ),
  propagate: setting(
    shown(boolean),
    'Whether upstreams are told of the traces of their calls, by `traceparent`.',
    false,
  ),
}
export const tracing = exact('{ endpoint, sample?, headers?, callersPerSecond?, propagate? }', tracingMembers)

/** Traces of calls, sent to a collector by OTLP over HTTP. */
export type TracingConfig = TypeOf<typeof tracing>

export const accessDefaults = defaultsOf(accessMembers)
export const tracingDefaults = defaultsOf(tracingMembers)
