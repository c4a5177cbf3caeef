import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Stores } from '@wayleave/stores'
import { sha256 } from './world.ts'

/** Answers the commands of Kubo's API that the console uses, over the pins of a store. */
export function createStandInIpfs({ pins }: Pick<Stores, 'pins'>) {
  const contents = new Map<string, Buffer>()
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    project: string,
    command: string,
  ): Promise<void> => {
    const query = new URL(request.url!, 'http://localhost').searchParams
    const cid = query.get('arg') ?? ''
    const send = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (command === 'add') {
      const body = await buffer(request)
      const head = body.indexOf('\r\n\r\n')
      const name = decodeURIComponent(/filename="([^"]*)"/.exec(body.subarray(0, head).toString())?.[1] ?? 'file')
      const content = body.subarray(head + 4, body.lastIndexOf('\r\n--'))
      if (content.length > 5_000_000)
        return send(413, { Message: 'this file would go beyond the quota of the project', Code: 0, Type: 'error' })
      const own = `bafybei${sha256(content.toString('latin1'))
        .replaceAll(/[0189]/g, 'q')
        .slice(0, 52)}`
      contents.set(own, content)
      await pins.put(project, { cid: own, type: 'recursive', name, bytes: BigInt(content.length) })
      return send(200, { Name: name, Hash: own, Size: String(content.length) })
    }
    if (command === 'ls') {
      if (cid === 'bafydirectory') {
        const entry = (Name: string, Type: number) => ({ Name, Hash: `bafy${Name}`, Size: Type === 1 ? 0 : 12, Type })
        return send(200, { Objects: [{ Hash: cid, Links: [entry('images', 1), entry('readme.txt', 2)] }] })
      }
      return contents.has(cid) || cid === 'bafyempty'
        ? send(200, { Objects: [{ Hash: cid, Links: [] }] })
        : send(500, { Message: 'no such block is here', Code: 0, Type: 'error' })
    }
    if (command === 'files/stat')
      return send(200, { Hash: cid, Type: cid === '/ipfs/bafyempty' ? 'directory' : 'file' })
    if (command === 'cat') {
      const content = contents.get(cid)
      if (content === undefined) return send(500, { Message: 'no such block is here', Code: 0, Type: 'error' })
      response.writeHead(200, { 'content-type': 'text/plain', 'x-stream-output': '1' })
      return void response.end(content)
    }
    if (command === 'pin/rm') {
      const removed = await pins.remove(project, cid)
      return removed === undefined
        ? send(500, { Message: 'not pinned or pinned indirectly', Code: 0, Type: 'error' })
        : send(200, { Pins: [cid] })
    }
    return send(404, { Message: 'no such command', Code: 0, Type: 'error' })
  }
}
