import type { RpcReply, RpcServer } from '@wayleave/jsonrpc-core'
import type { Turns } from '@wayleave/upstream'
import type { Busy } from './busy.ts'
import type { GatewayContext } from '../context/context.ts'
import { isBatch } from './pledge.ts'

/** Cost of a message of any length, in units of {@link Turns}, and the bytes that take one unit more. */
const messageCost = 2
const bytesPerUnit = 1_024
/** The same of a batch: its calls are cut, counted and checked in the turn in which it is decoded, each some 80 bytes. */
const batchBytesPerUnit = 128
/** Bytes of the batches of one project that are served at a time: some thousands of calls. Decoded, they take fifty times the room. */
const mostBatchBytes = 524_288

/** The batches of one project. */
interface Batches {
  bytes: number
  readonly waiting: { readonly bytes: number; readonly go: () => void }[]
}

/**
 * Begins messages in turns, and few batches of a project at a time, so that those of one do not keep the process from others. What waits
 * is noted as under way.
 */
export function beginInTurns(
  serve: RpcServer<GatewayContext>,
  turns: Turns,
  busy: Pick<Busy, 'enter'>,
): RpcServer<GatewayContext> {
  /** Projects whose batches are being served. */
  const tenants = new Map<string | undefined, Batches>()

  function begin(body: Uint8Array, context: GatewayContext, perUnit: number): Promise<RpcReply> {
    const turn = turns.take(context.tenant, messageCost + Math.floor(body.byteLength / perUnit))
    return turn === undefined ? serve(body, context) : turn.then(() => serve(body, context)).finally(busy.enter())
  }

  /** Waits until a batch may be served. */
  function enter(tenant: string | undefined, bytes: number): Promise<void> | undefined {
    const batches = tenants.get(tenant)
    if (batches === undefined) {
      tenants.set(tenant, { bytes, waiting: [] })
      return undefined
    }
    if (batches.waiting.length > 0 || batches.bytes + bytes > mostBatchBytes) {
      return new Promise((go) => void batches.waiting.push({ bytes, go }))
    }
    batches.bytes += bytes
    return undefined
  }

  function leave(tenant: string | undefined, bytes: number): void {
    const batches = tenants.get(tenant)!
    batches.bytes -= bytes
    for (let next = batches.waiting[0]; next !== undefined; next = batches.waiting[0]) {
      if (batches.bytes > 0 && batches.bytes + next.bytes > mostBatchBytes) return
      batches.waiting.shift()
      batches.bytes += next.bytes
      next.go()
    }
    if (batches.bytes === 0) tenants.delete(tenant)
  }

  async function beginBatch(body: Uint8Array, context: GatewayContext): Promise<RpcReply> {
    const { tenant } = context
    const { byteLength } = body
    const entered = enter(tenant, byteLength)
    const leaveNetwork = busy.enter()
    if (entered !== undefined) await entered
    try {
      return await begin(body, context, batchBytesPerUnit)
    } finally {
      leaveNetwork()
      leave(tenant, byteLength)
    }
  }

  return (body, context) => (isBatch(body) ? beginBatch(body, context) : begin(body, context, bytesPerUnit))
}
