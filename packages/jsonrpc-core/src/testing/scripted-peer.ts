import type { RpcContext } from '../context.ts'
import { RpcError } from '../error.ts'
import type { RpcHandler } from '../handler.ts'
import type { HttpPort } from '../http-port.ts'
import { rawJsonFromText, type RawJsonStream } from '../raw-json.ts'
import type { SocketLike, SocketPort } from '../socket-port.ts'
import { encodeUtf8 } from '../utf8.ts'

/** What the far side does with one call. */
export type PeerAction =
  /** `body` is the rest of the frame: `"result":…` or `"error":…`. */
  | { readonly kind: 'answer'; readonly body: string }
  /** Nothing, ever. */
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

/** The peer as a handler: what a middleware wraps. */
export function peerHandler(peer: ScriptedPeer): RpcHandler {
  return async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    peer.calls.push(request.method)
    const action = peer.act(request.method)
    if (action.kind === 'hang') return untilCancelled(context)
    if (action.kind === 'drop') throw new RpcError('disconnected', 'the scripted peer dropped the connection')
    if (action.kind === 'stream') {
      return { result: context.acceptStream ? streamOf(peer, action) : rawJsonFromText(`[${pieces(action).join(',')}]`) }
    }
    const frame = JSON.parse(`{${action.body}}`) as { error?: { code: number; message: string } }
    if (frame.error !== undefined) return { error: frame.error }
    return { result: rawJsonFromText(action.body.slice('"result":'.length)) }
  }
}

/** The peer behind an {@link HttpPort}. */
export function peerHttpPort(peer: ScriptedPeer): HttpPort {
  return async ({ body }, context) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    peer.calls.push(method)
    const action = peer.act(method)
    if (action.kind === 'hang') return untilCancelled(context)
    if (action.kind === 'drop') throw new RpcError('disconnected', 'the scripted peer dropped the connection')
    const head = `{"jsonrpc":"2.0","id":${id},`
    const reply = { status: 200, headers: new Headers() }
    if (action.kind === 'answer') return { ...reply, body: [encodeUtf8(`${head}${action.body}}`)] }
    return { ...reply, body: bytesOf(peer, [`${head}"result":[`, pieces(action).join(','), ']}']) }
  }
}

/** The peer behind a {@link SocketPort}. */
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
        const { id, method } = JSON.parse(frame) as { id: number; method: string }
        peer.calls.push(method)
        const action = peer.act(method)
        const head = `{"jsonrpc":"2.0","id":${id},`
        if (action.kind === 'answer') queueMicrotask(() => say(`${head}${action.body}}`))
        else if (action.kind === 'drop') queueMicrotask(() => socket.close(1006))
        else if (action.kind === 'stream') queueMicrotask(() => say(`${head}"result":[${pieces(action).join(',')}]}`))
      },
    }
    return socket as SocketLike
  }
}

function pieces(action: { readonly piece: string; readonly count: number }): string[] {
  return Array.from({ length: action.count }, () => action.piece)
}

function untilCancelled(context: RpcContext): Promise<never> {
  return new Promise((_resolve, reject) => void context.onCancel(reject))
}

async function* bytesOf(peer: ScriptedPeer, texts: readonly string[]): AsyncGenerator<Uint8Array> {
  peer.openBodies++
  try {
    for (const text of texts) yield encodeUtf8(text)
  } finally {
    peer.openBodies--
  }
}

function streamOf(peer: ScriptedPeer, action: { readonly piece: string; readonly count: number }): RawJsonStream {
  const body = bytesOf(peer, ['[', pieces(action).join(','), ']'])
  return {
    streaming: true,
    cancel: () => void body.return(undefined),
    [Symbol.asyncIterator]: () => body,
  }
}
