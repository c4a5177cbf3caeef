import { inspect } from 'node:util'
import type { HostileNode } from './hostile-node.ts'
import { settle } from './settled.ts'
import type { Subject } from './subject.ts'

/** One thing that goes wrong between a client and its node, and what a client has to make of it. */
export interface FaultCase {
  readonly number: number
  readonly title: string
  /** Resolves where the client does as it should. @throws {@link Fault}, {@link Hang} */
  run(stage: Stage): Promise<void>
}

export interface Stage {
  readonly subject: Subject
  readonly node: HostileNode
  /** How long the node is away in the case of an outage, in ms. */
  readonly outageMs: number
}

/** What a client does wrong. */
export class Fault extends Error {
  override readonly name = 'Fault'
}

/** A client that neither succeeds nor fails. */
export class Hang extends Error {
  override readonly name = 'Hang'
}

/** How long a call may take to end in any way, in ms: several times the limit that is set where there is an option. */
export const patienceMs = 10_000

/** The limit that is given to clients that take one, in ms. */
export const timeoutMs = 500

export function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Fault(otherwise)
}

/** The reason of a call that has to fail. @throws Fault where it succeeds, Hang where it does neither. */
export async function rejectionOf(call: Promise<unknown>, ms = patienceMs): Promise<unknown> {
  const settled = await settle(call, ms)
  if (settled.how === 'hang') throw new Hang(`nothing within ${ms} ms`)
  if (settled.how === 'fulfilled') throw new Fault(`it resolved with ${shortly(settled.value)}`)
  return settled.why
}

/** The value of a call that has to succeed. @throws Fault where it fails, Hang where it does neither. */
export async function valueOf(call: Promise<unknown>, ms = patienceMs): Promise<unknown> {
  const settled = await settle(call, ms)
  if (settled.how === 'hang') throw new Hang(`nothing within ${ms} ms`)
  if (settled.how === 'rejected') throw new Fault(`it rejected with ${shortly(settled.why)}`)
  return settled.value
}

/** One line for a table. */
export function shortly(value: unknown): string {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : inspect(value, { breakLength: Infinity })
  const line = text.split('\n', 1)[0]!
  return line.length > 80 ? `${line.slice(0, 77)}...` : line
}
