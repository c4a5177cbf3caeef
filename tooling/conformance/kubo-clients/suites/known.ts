import type { HostKind } from '../hosts.ts'

/** A test that Kubo passes and a gateway does not. */
interface Known {
  readonly title: string
  readonly hosts: readonly HostKind[]
  readonly reason: string
}

/** The tests in which a gateway differs from Kubo, each with its reason. */
export const known: readonly Known[] = [
  {
    title: '.block.rm should remove by CID object',
    hosts: ['local', 'over-kubo'],
    reason: 'it also lists all blocks (refs/local), which may be of other projects',
  },
]
