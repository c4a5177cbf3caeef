import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sleep } from '../support.ts'

/** A server that pins as Kubo does, late and in any order. Everything can be had from it. */
export interface PinNode {
  readonly url: string
  /** The pins by CID, each with its name. */
  readonly pins: Map<string, string>
  close(): Promise<void>
}

/** Starts a node whose every step takes up to `longestMs`. */
export async function startPinNode(longestMs: number, random: () => number): Promise<PinNode> {
  const pins = new Map<string, string>()
  const late = (): Promise<void> => sleep(random() * longestMs)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://node')
    const cid = searchParams.get('arg') ?? ''
    const write = (...lines: object[]): void => {
      for (const line of lines) response.write(`${JSON.stringify(line)}\n`)
    }
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk as Buffer)
    await late()
    switch (pathname.slice('/api/v0/'.length)) {
      case 'add': {
        const content = /content-\d+/.exec(Buffer.concat(body).toString())![0]
        const hash = cidOf(content)
        if (searchParams.get('pin') === 'true') pins.set(hash, searchParams.get('pin-name') ?? '')
        await late()
        write({ Name: 'file', Hash: hash, Size: '9' })
        break
      }
      case 'pin/add':
        pins.set(cid, searchParams.get('name') ?? '')
        await late()
        write({ Progress: 1 }, { Pins: [cid] })
        break
      case 'pin/rm':
        if (!pins.delete(cid)) return refuse(response)
        await late()
        write({ Pins: [cid] })
        break
      case 'pin/ls': {
        const found = [...pins].filter(([own]) => cid === '' || own === cid)
        if (searchParams.get('type') !== 'recursive') found.length = 0
        if (cid !== '' && found.length === 0) return refuse(response)
        write(...found.map(([Cid, Name]) => ({ Cid, Type: 'recursive', ...(Name && { Name }) })))
        break
      }
      case 'dag/stat':
        write({ UniqueBlocks: 1, TotalSize: 9, DagStats: [{ Cid: cid, Size: 9, NumBlocks: 1 }] })
        break
      default:
        write({ Version: '0.41.0' })
    }
    response.end()
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pins,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The CID of one raw block, in base32. */
export function cidOf(content: string): string {
  const digest = createHash('sha256').update(content).digest()
  const bits = [1, 0x55, 0x12, 0x20, ...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  return `b${bits.replace(/.{1,5}/g, (five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)]!)}`
}

function refuse(response: ServerResponse): void {
  response
    .writeHead(500, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ Message: 'not pinned or pinned indirectly', Code: 0, Type: 'error' }))
}
