/** A port that carries structured clones in order, such as the IPC of a child process. */
export interface MessagePort {
  /** Sends a message; false if the other end is gone. */
  post(message: unknown): boolean
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

/** Serves a topic. Resolves or returns with the answer; of a message that nobody waits for, it is dropped. */
export type TopicHandler = (body: unknown) => unknown

/** One end of the line between the primary process of a gateway and one of its workers. */
export interface Channel {
  /** Sends a message, without an answer. Nothing happens once the channel is closed. */
  report(topic: string, body?: unknown): void
  /** Asks the other end. @throws ChannelError if it is gone, or refused */
  ask(topic: string, body?: unknown): Promise<unknown>
  /** Serves a topic from now on, one handler each. */
  serve(topic: string, handler: TopicHandler): void
  /** Called once the other end is gone; at once if it is. */
  onClose(listener: () => void): void
}

/** The other end is gone (`closed`), or could not answer (`failed`; the message is its own). */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly code: 'closed' | 'failed'

  constructor(code: 'closed' | 'failed', message: string) {
    super(message)
    this.code = code
  }
}

/** A message with an answer has an id; an answer repeats it. */
type Frame =
  | { readonly topic: string; readonly body: unknown; readonly id?: number }
  | { readonly answer: number; readonly body: unknown }
  | { readonly answer: number; readonly failed: string }

/** Makes a channel over a port. Messages arrive in the order in which they were sent, those of the other end included. */
export function createChannel(port: MessagePort): Channel {
  const handlers = new Map<string, TopicHandler>()
  const waiting = new Map<number, { resolve: (body: unknown) => void; reject: (why: ChannelError) => void }>()
  const onClosed: (() => void)[] = []
  let isClosed = false
  let nextId = 1

  function answer(id: number | undefined, topic: string, body: unknown): void {
    const refuse = (thrown: unknown): void => {
      if (id !== undefined) port.post({ answer: id, failed: thrown instanceof Error ? thrown.message : String(thrown) })
    }
    try {
      const handler = handlers.get(topic)
      if (handler === undefined) throw new Error(`nothing serves ${topic} here`)
      const result = handler(body)
      if (result instanceof Promise) {
        result.then((value: unknown) => id !== undefined && port.post({ answer: id, body: value }), refuse)
      } else if (id !== undefined) port.post({ answer: id, body: result })
    } catch (thrown) {
      refuse(thrown)
    }
  }

  port.onMessage((message) => {
    const frame = message as Frame
    if ('topic' in frame) return answer(frame.id, frame.topic, frame.body)
    const one = waiting.get(frame.answer)
    waiting.delete(frame.answer)
    if ('failed' in frame) one?.reject(new ChannelError('failed', frame.failed))
    else one?.resolve(frame.body)
  })
  port.onClose(() => {
    if (isClosed) return
    isClosed = true
    for (const one of waiting.values()) one.reject(gone())
    waiting.clear()
    for (const listener of onClosed) listener()
  })
  return {
    report(topic, body) {
      if (!isClosed) port.post({ topic, body })
    },
    ask: (topic, body) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(gone())
        const id = nextId++
        waiting.set(id, { resolve, reject })
        if (!port.post({ topic, body, id })) {
          waiting.delete(id)
          reject(gone())
        }
      }),
    serve: (topic, handler) => void handlers.set(topic, handler),
    onClose(listener) {
      if (isClosed) listener()
      else onClosed.push(listener)
    },
  }
}

function gone(): ChannelError {
  return new ChannelError('closed', 'the other process is gone')
}
