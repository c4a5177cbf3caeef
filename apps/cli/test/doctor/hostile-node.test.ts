import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkNetwork } from '../../src/doctor/check-network.ts'
import { printFinding } from '../../src/doctor/print-findings.ts'

const answered = (member: object) => (response: ServerResponse) =>
  void response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...member }))

/** Sends 100 MB as fast as they are taken. */
function flood(response: ServerResponse): void {
  const part = Buffer.alloc(1_000_000, 32)
  let sent = 0
  const more = (): void => {
    while (sent++ < 100 && !response.destroyed) if (!response.write(part)) return void response.once('drain', more)
    response.end()
  }
  more()
}

function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 100)
  response.once('close', () => clearInterval(timer))
}

describe('doctor, before a node that', () => {
  it.each<[string, (response: ServerResponse) => void, string]>([
    ['says nothing', () => {}, 'upstream_unreachable'],
    ['never ends its answer', drip, 'upstream_unreachable'],
    ['sends 100 MB', flood, 'upstream_not_a_node'],
    ['answers a chain of a megabyte', answered({ result: 'A'.repeat(1_000_000) }), 'upstream_not_a_node'],
    ['answers a terminal’s commands', answered({ result: '\u001B[2J\u0007' }), 'chain_mismatch'],
    ['answers an error without a code', answered({ error: { code: '\u001B[2J', message: 'sk-1' } }), 'upstream_error'],
    [
      'sends it elsewhere',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/sk-1' }).end(),
      'upstream_not_a_node',
    ],
  ])('%s, ends in time with a short line that tells no secret', { timeout: 20_000 }, async (_how, act, expected) => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => act(response))
      response.on('error', () => {})
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://user:sk-1@127.0.0.1:${(server.address() as AddressInfo).port}/sk-1`
    const check = checkNetwork('main', { kind: 'evm', chainId: 1, upstreams: [url] })
    const findings = await check.run(new AbortController().signal)
    expect(findings.map(({ code }) => code)).toContain(expected)
    for (const finding of findings) {
      const text = printFinding(finding, process.stdout)
      expect(text.length).toBeLessThan(400)
      expect(text).not.toMatch(/sk-1|NaN/)
      expect(text).not.toContain('\u0007')
      expect(text).not.toContain('\u001B[2J')
    }
  })
})
