import { boolean, integer, optional, type Schema, shown } from '@wayleave/jsonrpc-core/schema'
import { exact, headers, numberThat, stringThat } from './schema-parts.ts'

/** Traces of calls, sent to a collector by OTLP over HTTP. */
export interface TracingConfig {
  /** The URL that takes traces, such as `http://collector:4318/v1/traces`. */
  readonly endpoint: string
  /** The part of the requests that are traced, 0 to 1. Default 0.01. */
  readonly sample?: number
  /** Headers of the requests to the collector, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Requests in a second that are traced beside those, as their callers' `traceparent` is sampled; 0: none. Default 10. */
  readonly callersPerSecond?: number
  /** Whether upstreams are told of the traces of their calls, by `traceparent`. Default false. */
  readonly propagate?: boolean
}

/** Requests that are traced for their callers' sake, in a second, if nothing else is said. */
export const usualCallersPerSecond = 10

export const tracing: Schema<TracingConfig> = exact<TracingConfig>(
  '{ endpoint, sample?, headers?, callersPerSecond?, propagate? }',
  {
    endpoint: stringThat(
      'an http or https URL with a path, such as http://collector:4318/v1/traces',
      (value) => /^https?:/i.test(value) && URL.canParse(value) && new URL(value).pathname !== '/',
    ),
    sample: optional(shown(numberThat('a number from 0 to 1', (part) => part >= 0 && part <= 1))),
    headers: optional(headers),
    callersPerSecond: optional(shown(integer('a whole number of requests a second, from 0 to 10,000', 0, 10_000))),
    propagate: optional(shown(boolean)),
  },
)
