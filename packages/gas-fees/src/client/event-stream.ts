/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Far more than one suggestion has. */
const mostChars = 20_000

/** The callbacks of {@link readEvents}. */
export interface EventReader {
  readonly onEvent: (event: ServerEvent) => void
  /** Called for whatever comes, even a comment: the stream is alive. */
  readonly onLife: () => void
}

/**
 * Reads a body of server-sent events to its end, or until the signal aborts. Source: HTML Living Standard §9.2.
 * @throws TypeError for an event of more than 20,000 characters; whatever the body or the reader throws.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  { onEvent, onLife }: EventReader,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader()
  // Cancelling ends a read that waits.
  const cancel = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      onLife()
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/(?:\r\n|\n|\r(?!\n)){2}/)
      rest = blocks.pop()!
      if (rest.length > mostChars) throw new TypeError(`an event of more than ${mostChars} characters came`)
      for (const event of blocks.map(eventOf)) if (event !== undefined) onEvent(event)
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/** Reads one event; undefined if the block holds only comments. */
function eventOf(block: string): ServerEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') }
}
