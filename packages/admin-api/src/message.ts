import type { AdminEvents } from './events.ts'
import type { Operator } from './admin-token.ts'

/** A request as plain data. */
export interface AdminRequest {
  readonly method: string
  /** As it was sent, percent-encoded, without the query: `/admin/v1/projects`. */
  readonly path: string
  /** As it was sent, without the `?`. */
  readonly query?: string | undefined
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: Uint8Array | undefined
  /** The operator whom it comes from, where the host has judged that: the header `authorization` is not looked at then. */
  readonly as?: Operator | undefined
}

/** An answer as plain data. */
export interface AdminResponse {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty for 204 and HEAD. */
  readonly body: string
  /** The stream to begin once the head is sent, of an answer of `text/event-stream`. */
  readonly events?: AdminEvents
}

/** The path below which all routes lie. */
export const adminPrefix = '/admin/v1'

/** The longest body that is read, in bytes: 1 MiB. */
export const maxAdminBody: number = 1_048_576
