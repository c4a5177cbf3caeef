import type { RpcContext } from '../context.ts'
import { RpcError } from '../error.ts'
import type { RpcHandler } from '../handler.ts'
import type { HttpPort } from '../http-port.ts'
import { rawJsonFromText } from '../raw-json.ts'
import type { SocketLike, SocketPort } from '../socket-port.ts'
import { encodeUtf8 } from '../utf8.ts'
import type { RawJsonStream } from '../wire.ts'

/** The far side's reaction to one call. */
export type PeerAction =
  /** `body` is the rest of the frame: `"result":…` or `"error":…`. It comes once `when` is fulfilled. */
  | { readonly kind: 'answer'; readonly body: string; readonly when?: Promise<unknown> }
  /** An answer that begins and never ends; none at all from a peer whose answers come whole. */
  | { readonly kind: 'stall' }
  /** No answer, ever. */
  | { readonly kind: 'hang' }
  /** The connection breaks once the call has arrived. */
  | { readonly kind: 'drop' }
  /** A result of `count` pieces of JSON text, in an array; a peer without streams sends it whole. */
  | { readonly kind: 'stream'; readonly piece: string; readonly count: number }

/** The far side of a handler, scripted. */
export interface ScriptedPeer {
  readonly act: (method: string) => PeerAction
  /** Methods of the calls that arrived. */
  readonly calls: string[]
  /** Bodies being read at the moment. */
  openBodies: number
}

export function createScriptedPeer(act: (method: string) => PeerAction): ScriptedPeer {
  return { act, calls: [], openBodies: 0 }
}

/** Makes a handler of the peer, for a middleware to wrap. */
export function peerHandler(peer: ScriptedPeer): RpcHandler {
  return async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    peer.calls.push(request.method)
    const action = peer.act(request.method)
    if (action.kind === 'hang' || action.kind === 'stall') return untilCancelled(context)
    if (action.kind === 'drop') throw new RpcError('disconnected', 'the scripted peer dropped the connection')
    if (action.kind === 'answer' && action.when !== undefined) await unlessCancelled(context, action.when)
    if (action.kind === 'stream') {
      return {
        result: context.acceptStream
          ? streamOf(peer, context, action)
          : rawJsonFromText(`[${pieces(action).join('')}]`),
      }
    }
    const frame = JSON.parse(`{${action.body}}`) as { error?: { code: number; message: string } }
    if (frame.error !== undefined) return { error: frame.error }
    return { result: rawJsonFromText(action.body.slice('"result":'.length)) }
  }
}

/** Puts the peer behind an {@link HttpPort}. It answers a batch in reverse order. */
export function peerHttpPort(peer: ScriptedPeer): HttpPort {
  return async ({ body }, context) => {
    const call = JSON.parse(body) as PeerCall | PeerCall[]
    const calls = Array.isArray(call) ? call : [call]
    const actions = calls.map(({ method }) => {
      peer.calls.push(method)
      return peer.act(method)
    })
    const frames: string[][] = []
    let stalls = false
    for (const [i, action] of actions.entries()) {
      if (action.kind === 'hang') return untilCancelled(context)
      if (action.kind === 'drop') throw new RpcError('disconnected', 'the scripted peer dropped the connection')
      if (action.kind === 'answer' && action.when !== undefined) await unlessCancelled(context, action.when)
      stalls ||= action.kind === 'stall'
      frames.unshift(frameOf(calls[i]!.id, action))
    }
    const texts = Array.isArray(call)
      ? ['[', ...frames.flatMap((frame, i) => (i === 0 ? frame : [',', ...frame])), ']']
      : frames[0]!
    return {
      status: 200,
      headers: new Headers(),
      body: openBody(peer, context, stalls ? texts.slice(0, 1) : texts, stalls),
    }
  }
}

interface PeerCall {
  readonly id: number
  readonly method: string
}

/** Prints one answer, in the pieces in which it arrives. */
function frameOf(id: number, action: PeerAction): string[] {
  const head = `{"jsonrpc":"2.0","id":${id},`
  if (action.kind === 'answer') return [`${head}${action.body}}`]
  return action.kind === 'stream' ? [`${head}"result":[`, ...pieces(action), ']}'] : [`${head}"result":[`]
}

/** Puts the peer behind a {@link SocketPort}. */
export function peerSocketPort(peer: ScriptedPeer): SocketPort {
  return () => {
    const target = new EventTarget()
    const say = (frame: string): void => void target.dispatchEvent(new MessageEvent('message', { data: frame }))
    queueMicrotask(() => target.dispatchEvent(new Event('open')))
    const socket = {
      bufferedAmount: 0,
      addEventListener: target.addEventListener.bind(target),
      close: (code = 1000) => void target.dispatchEvent(Object.assign(new Event('close'), { code })),
      send(frame: string) {
        const { id, method } = JSON.parse(frame) as PeerCall
        peer.calls.push(method)
        const action = peer.act(method)
        if (action.kind === 'drop') queueMicrotask(() => socket.close(1006))
        else if (action.kind === 'answer' || action.kind === 'stream') {
          void Promise.resolve(action.kind === 'answer' ? action.when : undefined).then(() =>
            say(frameOf(id, action).join('')),
          )
        }
      },
    }
    return socket as SocketLike
  }
}

/** Makes the pieces of an array, with its commas. */
function pieces({ piece, count }: { readonly piece: string; readonly count: number }): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? piece : `,${piece}`))
}

function untilCancelled(context: RpcContext): Promise<never> {
  return new Promise((_resolve, reject) => void context.onCancel(reject))
}

async function unlessCancelled(context: RpcContext, work: Promise<unknown>): Promise<void> {
  let forget = (): void => {}
  const cancelled = new Promise<never>((_resolve, reject) => {
    forget = context.onCancel(reject)
  })
  await Promise.race([work, cancelled]).finally(forget)
}

function streamOf(
  peer: ScriptedPeer,
  context: RpcContext,
  action: { readonly piece: string; readonly count: number },
): RawJsonStream {
  const body = openBody(peer, context, ['[', ...pieces(action), ']'])
  return { streaming: true, cancel: () => void body.return(), [Symbol.asyncIterator]: () => body }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

interface OpenBody extends AsyncIterator<Uint8Array> {
  [Symbol.asyncIterator](): OpenBody
  next(): Promise<IteratorResult<Uint8Array>>
  return(): Promise<IteratorResult<Uint8Array>>
}

/**
 * Opens a body as a good port does. It is open until it was read, is left, or its call is cancelled.
 * `stalls`: no end comes after the texts.
 */
function openBody(peer: ScriptedPeer, context: RpcContext, texts: readonly string[], stalls = false): OpenBody {
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
