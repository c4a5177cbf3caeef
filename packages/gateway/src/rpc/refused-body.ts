import type { Flights, Holding } from '@wayleave/http-server'
import { describe, jsonAnswer, retryAfterHeader, statusOf } from '../errors.ts'
import { type Call, refuse } from './call.ts'
import { closeAfter } from './closing-connections.ts'

/** Refuses a body that is too long. */
export function refuseLength(call: Call, headers: readonly string[] = []): void {
  const message = `content length too large (more than ${call.options.limits.maxBodyBytes})`
  refuse(call, jsonAnswer(413, { code: -32600, message }, headers))
}

/** A request whose bytes are counted. */
interface Held {
  readonly call: Call
  readonly holding: Holding
  readonly flights: Flights
}

/** Refuses a request that may not be held. */
export function refuseHeld({ call, holding, flights }: Held): void {
  const why = holding.refusal()
  const headers = [...retryAfterHeader(why), ...lastOf(flights, call)]
  refuse(call, jsonAnswer(statusOf(why), describe(why), headers))
}

/** Takes no further requests of a connection whose refusals would pile up behind other answers; returns the header that tells it. */
export function lastOf(flights: Flights, { request }: Call): readonly string[] {
  return flights.arePipelined ? closeAfter(request.socket) : []
}
