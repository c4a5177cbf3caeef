import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/defaults.ts'
import { runGasBench, whyNoGasBench } from '../src/gas-bench.ts'
import { openGasLoad } from '../src/gas-load.ts'
import { startGasNode } from '../src/gas-node.ts'

describe.runIf(process.platform === 'linux' && whyNoGasBench() === undefined)('runGasBench', () => {
  it('measures both forms of the path against the bare handler, every answer byte by byte', async () => {
    const options = { rounds: 2, seconds: 0.1, connections: 4, clock: systemClock, progress: () => {} }
    const { results } = await runGasBench(options)
    expect(results.map(({ name }) => name)).toEqual([
      'bare handler, key in the path',
      'bare handler, HTTP Basic',
      'gateway, key in the path',
      'gateway, HTTP Basic',
    ])
    for (const { name, cpuMicros, ratio } of results) {
      expect(cpuMicros, name).toBeGreaterThan(1)
      if (name.startsWith('bare')) expect(ratio).toEqual({ median: 1, min: 1, max: 1 })
    }
  })
})

describe('openGasLoad', () => {
  it('fails on the first answer that is not the expected one', async () => {
    await using node = await startGasNode()
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
    const request = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const options = {
      subject: 'node',
      port: Number(new URL(node.url).port),
      request,
      connections: 1,
      clock: systemClock,
    }
    const load = async (expected: string): Promise<number> => {
      const opened = await openGasLoad({ ...options, body: Buffer.from(expected) })
      try {
        return (await opened.closedLoop(20)).calls
      } finally {
        opened.close()
      }
    }
    expect(await load('{"jsonrpc":"2.0","id":1,"result":"0x1"}')).toBeGreaterThan(0)
    await expect(load('{"jsonrpc":"2.0","id":1,"result":"0x2"}')).rejects.toMatchObject({ code: 'wrong_answer' })
    await expect(load('{"jsonrpc":"2.0","id":1,"result":"0x1"}}')).rejects.toMatchObject({ code: 'wrong_answer' })
  })
})
