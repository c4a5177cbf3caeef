import { type Clock, type RawJson, type RpcContext, RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { pause, untilCancelled } from './ask-once.ts'

/** A sink that is told as fast as it takes. */
export interface PacedSink {
  event(method: string, result: RawJson): void
  /**
   * Waits until the sink has room, after each MiB or where it is slow; undefined: there is no need.
   * @throws RpcError `overloaded` where it has none for 30 s; the reason of the context's cancellation
   */
  room(context: RpcContext): Promise<void> | undefined
}

/** Bytes that are told in one turn of the event loop; a block is never told in two. */
const bytesATurn = 1_048_576
/** Bytes of an event besides its result, about. */
const eventOverhead = 128
const patienceMs = 30_000

export function createPacedSink(sink: RpcSink, clock: Clock): PacedSink {
  let bytes = 0
  let isSlow = false

  async function wait(context: RpcContext): Promise<void> {
    // Others have their turn, and the host sends.
    await pause(0, clock, context)
    if (context.cancelled !== undefined) throw context.cancelled
    const drained = sink.drained?.()
    if (drained === undefined) return
    const own = context.fork({ deadline: clock.now() + patienceMs })
    try {
      await untilCancelled(drained, own.context)
    } catch {
      throw context.cancelled ?? new RpcError('overloaded', 'the events are not read fast enough')
    } finally {
      own.release()
    }
  }

  return {
    event(method, result) {
      bytes += result.byteLength + eventOverhead
      if (!sink.event(method, result)) isSlow = true
    },
    room(context) {
      if (bytes < bytesATurn && !isSlow) return undefined
      bytes = 0
      isSlow = false
      return wait(context)
    },
  }
}
