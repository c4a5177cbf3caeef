import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** TypeScript as an editor runs it. */
export interface LanguageServer {
  /** The text that an editor shows over a place of a file, or nothing. */
  hover(place: { readonly line: number; readonly character: number }): Promise<string>
  close(): void
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))

/** Opens a file of `text` below `folder`, whose tsconfig.json and packages count. */
export async function openInEditor(folder: string, name: string, text: string): Promise<LanguageServer> {
  const child = spawn(process.execPath, [join(typescript, 'bin/tsc'), '--lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const uri = pathToFileURL(join(folder, name)).href
  const waiting = new Map<number, (result: unknown) => void>()
  let lastId = 0
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin!.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const ask = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      send({ id: lastId, method, params })
    })
  readMessages(child, ({ id, method, result }) => {
    if (method === undefined) waiting.get(id!)?.(result)
    // It asks for its settings, which are none.
    else if (id !== undefined) send({ id, result: method === 'workspace/configuration' ? [] : null })
  })

  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } }
  await ask('initialize', { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities })
  send({ method: 'initialized', params: {} })
  const textDocument = { uri, languageId: 'typescript', version: 1, text }
  send({ method: 'textDocument/didOpen', params: { textDocument } })
  return {
    async hover(position) {
      const shown = await ask('textDocument/hover', { textDocument: { uri }, position })
      return (shown as { readonly contents: { readonly value: string } } | null)?.contents.value ?? ''
    },
    close: () => child.kill(),
  }
}

/** Reads the frames of the Language Server Protocol: a header that names the length of what follows. */
function readMessages(child: ChildProcess, take: (message: Message) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  child.stdout!.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const start = rest.indexOf('\r\n\r\n')
      if (start < 0) return
      const end = start + 4 + Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, start))![1])
      if (rest.length < end) return
      take(JSON.parse(rest.toString('utf8', start + 4, end)) as Message)
      rest = rest.subarray(end)
    }
  })
}
