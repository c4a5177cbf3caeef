import type { SocketLike, SocketPort } from '@wayleave/jsonrpc-core'
import type { TokenSource } from './token-source.ts'

/** Makes a {@link SocketPort} that sends a JWT with each upgrade, a new one where the last was refused. Browsers send none. */
export function bearerSocket(tokens: TokenSource, connect: SocketPort): SocketPort {
  return (url, options) => {
    function open(token: string): SocketLike {
      const socket = connect(url, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } })
      socket.addEventListener('error', ({ error }) => {
        // Only the message of `ws` tells the status.
        if (/\b401$/.test(String((error as { readonly message?: unknown } | undefined)?.message))) tokens.refuse(token)
      })
      return socket
    }
    const token = tokens.take()
    return typeof token === 'string' ? open(token) : createLateSocket(token.then(open))
  }
}

type Listener = (event: never) => void

/** Makes a socket of one that is still to be opened. It closes where that fails. */
function createLateSocket(opening: Promise<SocketLike>): SocketLike {
  const listeners: (readonly [type: string, listener: Listener])[] = []
  let socket: SocketLike | undefined
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    for (const [type, listener] of listeners) if (type === 'close') listener({ code: 1006 } as never)
  }

  opening.then((opened) => {
    if (isOver) return opened.terminate === undefined ? opened.close() : opened.terminate()
    socket = opened
    for (const [type, listener] of listeners) opened.addEventListener(type as 'open', listener as () => void)
  }, end)
  return {
    get bufferedAmount() {
      return socket?.bufferedAmount ?? 0
    },
    send: (data) => socket!.send(data),
    close: (code, reason) => (socket === undefined ? end() : socket.close(code, reason)),
    terminate: () => (socket === undefined ? end() : socket.terminate?.()),
    addEventListener(type: string, listener: Listener) {
      if (socket === undefined) listeners.push([type, listener])
      else socket.addEventListener(type as 'open', listener as () => void)
    },
  }
}
