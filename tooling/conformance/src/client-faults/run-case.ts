import { answerCases } from './answer-cases.ts'
import { deliveryCases } from './delivery-cases.ts'
import { Fault, type FaultCase, Hang, shortly } from './fault-case.ts'
import { HostileNode } from './hostile-node.ts'
import { socketCases } from './socket-cases.ts'
import type { Subject } from './subject.ts'

export const faultCases: readonly FaultCase[] = [...answerCases, ...deliveryCases, ...socketCases].toSorted(
  (a, b) => a.number - b.number,
)

export interface CaseOutcome {
  readonly outcome: 'pass' | 'fail' | 'hang'
  /** The client's mistake; empty if it passes. */
  readonly note: string
}

/** Runs one case against a node of its own, and closes whatever the case opened. */
export async function runCase({ run }: FaultCase, subject: Subject, outageMs = 15_000): Promise<CaseOutcome> {
  await using node = await HostileNode.start()
  const opened: { close(): Promise<void> }[] = []
  const kept = async <T extends { close(): Promise<void> }>(client: T | Promise<T>): Promise<T> => {
    opened.push(await client)
    return client
  }
  const tracked: Subject = {
    name: subject.name,
    openHttp: (url, options) => kept(subject.openHttp(url, options)),
    openSocket: (url) => kept(subject.openSocket(url)),
  }
  try {
    await run({ subject: tracked, node, outageMs })
    return { outcome: 'pass', note: '' }
  } catch (thrown) {
    if (thrown instanceof Hang) return { outcome: 'hang', note: thrown.message }
    return { outcome: 'fail', note: thrown instanceof Fault ? thrown.message : shortly(thrown) }
  } finally {
    // Closing a connection that has gone already is not tested here.
    for (const client of opened) void Promise.resolve(client.close()).catch(() => {})
  }
}
