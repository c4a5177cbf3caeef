import { gunzipSync } from 'node:zlib'
import type { Ask, Reported } from './exchange.ts'

/** What stays of an answer where some of it has to differ: times, orders, node names. */
export function comparable({ path }: Ask, { status, headers, streamError, body }: Reported): unknown {
  const seen: Record<string, string> = { ...headers }
  // Told where an answer is not sent in pieces, too.
  if (streamError === undefined && headers['x-stream-output'] === undefined) delete seen['trailer']
  const text = body.toString('latin1')
  if (path.startsWith('block/get') || path.startsWith('get')) delete seen['x-content-length']
  if (status === 200 && path.startsWith('pin/ls')) return [status, seen, streamError, pinsOf(text)]
  if (status !== 200 || text === '') return [status, seen, streamError, text]
  if (headers['content-type'] === 'application/json' && (path.startsWith('version') || path.startsWith('id'))) {
    return [status, seen, streamError, Object.keys(JSON.parse(text) as object)]
  }
  const isZipped = headers['content-type'] === 'application/gzip'
  const bytes = isZipped ? gunzipSync(body) : body
  return [status, seen, streamError, isArchive(path, headers) ? entriesOf(bytes) : bytes.toString('latin1')]
}

/** Without those that are only below a pin, in an order of their own. */
function pinsOf(text: string): unknown {
  const isOwn = ({ Type }: { readonly Type?: string }): boolean => Type !== 'indirect'
  const lines = text.split('\n').filter((line) => line !== '')
  const values = lines.map((line) => JSON.parse(line) as { Keys?: Record<string, { Type?: string }>; Type?: string })
  const [only] = values
  if (values.length === 1 && only?.Type === undefined) {
    return Object.entries(only?.Keys ?? {})
      .filter(([, pin]) => isOwn(pin))
      .toSorted()
  }
  return values
    .filter(isOwn)
    .map((value) => JSON.stringify(value))
    .toSorted()
}

function isArchive(path: string, headers: Reported['headers']): boolean {
  return headers['content-type'] === 'application/x-tar' || /^get\?.*[?&]a(rchive)?=(1|t|true|TRUE|)(&|$)/.test(path)
}

/** Names, types, modes, targets and content of a tar archive; its times are those of the answer. */
function entriesOf(tar: Buffer): unknown {
  const entries: unknown[] = []
  let long: Record<string, string> = {}
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const head = tar.subarray(at, at + 512)
    const field = (from: number, length: number): string =>
      head.toString('utf8', from, from + length).replace(/\0[^]*$/, '')
    const size = Number.parseInt(field(124, 12), 8)
    const content = tar.subarray(at + 512, at + 512 + size)
    at += 512 + Math.ceil(size / 512) * 512
    if (field(156, 1) === 'x') {
      long = Object.fromEntries(
        content
          .toString()
          .split('\n')
          .map((line) => line.replace(/^\d+ /, '').split('=', 2)),
      )
      continue
    }
    const name = long['path'] ?? [field(345, 155), field(0, 100)].filter((part) => part !== '').join('/')
    const link = long['linkpath'] ?? field(157, 100)
    const mode = Number.parseInt(field(100, 8), 8)
    entries.push([name.replace(/\/$/, ''), field(156, 1), mode, link, content.toString('latin1')])
    long = {}
  }
  return entries
}
