import { unreachable } from './ask.ts'

/** The longest event that is read, in characters. */
const longestEvent = 4_000_000

/** Reads server-sent events from a response, until it ends or the request is aborted. @throws ConsoleError where the connection breaks */
export async function readEvents(response: Response, onEvent: (name: string, data: string) => void): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw unreachable(cause)
      })
      if (done) return
      rest += value
      let end = rest.indexOf('\n\n')
      while (end >= 0) {
        readEvent(rest.slice(0, end), onEvent)
        rest = rest.slice(end + 2)
        end = rest.indexOf('\n\n')
      }
      if (rest.length > longestEvent) throw new Error('an event is too long')
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function readEvent(text: string, onEvent: (name: string, data: string) => void): void {
  let name = 'message'
  let data: string | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('data:')) {
      const more = line.slice(5).replace(/^ /, '')
      data = data === undefined ? more : `${data}\n${more}`
    }
  }
  if (data !== undefined) onEvent(name, data)
}
