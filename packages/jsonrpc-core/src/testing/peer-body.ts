import type { RpcContext } from '../context.ts'
import type { RpcError } from '../error.ts'
import { encodeUtf8 } from '../utf8.ts'
import type { ScriptedPeer } from './scripted-peer.ts'

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

interface OpenBody extends AsyncIterator<Uint8Array> {
  [Symbol.asyncIterator](): OpenBody
  next(): Promise<IteratorResult<Uint8Array>>
  return(): Promise<IteratorResult<Uint8Array>>
}

/**
 * A body as a good port gives it: open from now on, until it was read, is left, or its call is cancelled.
 * `stalls`: no end comes after the texts.
 */
export function openBody(peer: ScriptedPeer, context: RpcContext, texts: readonly string[], stalls = false): OpenBody {
  const chunks = texts.map(encodeUtf8)
  let open = true
  let why: RpcError | undefined
  let reader: { resolve(result: IteratorResult<Uint8Array>): void; reject(why: RpcError): void } | undefined
  let forget = (): void => {}

  function close(reason?: RpcError): void {
    if (!open) return
    open = false
    why = reason
    peer.openBodies--
    forget()
    if (reason === undefined) reader?.resolve(over)
    else reader?.reject(reason)
  }

  const body: OpenBody = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      if (why !== undefined) throw why
      const chunk = open ? chunks.shift() : undefined
      if (chunk !== undefined) return { done: false, value: chunk }
      if (open && stalls) {
        return new Promise((resolve, reject) => {
          reader = { resolve, reject }
        })
      }
      close()
      return over
    },
    async return() {
      close()
      return over
    },
  }
  peer.openBodies++
  forget = context.onCancel(close)
  return body
}
