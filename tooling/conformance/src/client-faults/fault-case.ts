import { inspect } from 'node:util'
import type { HostileNode } from './hostile-node.ts'
import { settle } from './settled.ts'
import type { Subject } from './subject.ts'

/** One fault between a client and its node, and the behaviour that it demands of the client. */
export interface FaultCase {
  readonly number: number
  readonly title: string
  /** Resolves if the client behaves as it should. @throws {@link Fault}, {@link Hang} */
  run(stage: Stage): Promise<void>
}

export interface Stage {
  readonly subject: Subject
  readonly node: HostileNode
  /** The length of the outage in its case, in ms. */
  readonly outageMs: number
}

/** An error that says what a client does wrong. */
export class Fault extends Error {
  override readonly name = 'Fault'
}

/** An error that says that a client neither succeeds nor fails. */
export class Hang extends Error {
  override readonly name = 'Hang'
}

/** The time in ms in which a call must end: several times the limit that is set by a library's option. */
export const patienceMs = 10_000

/** The time limit in ms for clients that have an option for it. */
export const timeoutMs = 500

export function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Fault(otherwise)
}

/** Resolves with the reason of a call that must fail. @throws Fault if it succeeds, Hang if it does neither. */
export async function rejectionOf(call: Promise<unknown>, ms = patienceMs): Promise<unknown> {
  const settled = await settle(call, ms)
  if (settled.how === 'hang') throw new Hang(`nothing within ${ms} ms`)
  if (settled.how === 'fulfilled') throw new Fault(`it resolved with ${shortly(settled.value)}`)
  return settled.why
}

/** Resolves with the value of a call that must succeed. @throws Fault if it fails, Hang if it does neither. */
export async function valueOf(call: Promise<unknown>, ms = patienceMs): Promise<unknown> {
  const settled = await settle(call, ms)
  if (settled.how === 'hang') throw new Hang(`nothing within ${ms} ms`)
  if (settled.how === 'rejected') throw new Fault(`it rejected with ${shortly(settled.why)}`)
  return settled.value
}

/** Prints a value in one line of at most 80 characters. */
export function shortly(value: unknown): string {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : inspect(value, { breakLength: Infinity })
  const line = text.split('\n', 1)[0]!
  return line.length > 80 ? `${line.slice(0, 77)}...` : line
}
