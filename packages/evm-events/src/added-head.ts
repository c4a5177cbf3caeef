import type { RawJson } from '@wayleave/jsonrpc-core'

const heads = new WeakSet<RawJson>()

/** Tells whether an event is the header of a block that was added: a host sends it before events that may wait. */
export function isAddedHead(event: RawJson): boolean {
  return heads.has(event)
}

/** Takes note that the header of an added block is told. */
export function noteAddedHead(header: RawJson): void {
  heads.add(header)
}
