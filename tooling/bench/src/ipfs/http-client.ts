import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { stat } from 'node:fs/promises'
import { leafBytes, readContent } from './content.ts'
import type { Jobs } from './worker.ts'

const boundary = 'wayleave-bench'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="content"\r\nContent-Type: application/octet-stream\r\n\r\n`
const tail = `\r\n--${boundary}--\r\n`
const query = `cid-version=1&raw-leaves=true&chunker=size-${leafBytes}&pin=true`

/** A client that does no more than it must: it checks nothing, and drops what it reads. */
export function clientRole(): Pick<{ [K in keyof Jobs]: (args: Jobs[K]) => Promise<string> }, 'add' | 'cat' | 'leave'> {
  return {
    async add({ file, to }) {
      const call = openAdd(to, (await stat(file)).size)
      const answered = once(call, 'response') as Promise<[IncomingMessage]>
      for await (const part of readContent(file, 262_144)) if (!call.write(part)) await once(call, 'drain')
      call.end(tail)
      const [response] = await answered
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      if (response.statusCode !== 200) throw new Error(`add was answered ${response.statusCode}: ${text}`)
      return (JSON.parse(text.trim().split('\n').at(-1)!) as { Hash: string }).Hash
    },
    async cat({ cid, from }) {
      const call = request(`${from}/api/v0/cat?arg=${cid}`, { method: 'POST' }).end()
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      let bytes = 0
      response.on('data', (part: Buffer) => (bytes += part.length))
      await once(response, 'end')
      if (response.statusCode !== 200) throw new Error(`cat was answered ${response.statusCode}`)
      return String(bytes)
    },
    async leave({ file, to, afterBytes }) {
      const call = openAdd(to, (await stat(file)).size)
      call.on('error', () => {})
      let bytes = 0
      for await (const part of readContent(file, 262_144)) {
        if (!call.write(part)) await once(call, 'drain')
        bytes += part.length
        if (bytes >= afterBytes) break
      }
      const closed = new Promise<void>((resolve) => void call.once('close', resolve))
      call.destroy()
      await closed
      return String(bytes)
    },
  }
}

/** Prints the head of an upload of one file of that length, up to its content. */
function openAdd(to: string, size: number): ClientRequest {
  const call = request(`${to}/api/v0/add?${query}`, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + size + tail.length,
    },
  })
  call.write(head)
  return call
}
