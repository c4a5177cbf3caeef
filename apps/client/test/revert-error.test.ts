import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, RevertError, RpcError } from '../src/index.ts'
import { failure } from './helpers.ts'

const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** Code that reverts with `payload`, as a contract's creation: it copies what follows it to memory. */
function revertingWith(payload: string): `0x${string}` {
  const size = (payload.length / 2).toString(16).padStart(4, '0')
  // PUSH2 size, PUSH1 14, PUSH1 0, CODECOPY, PUSH2 size, PUSH1 0, REVERT: 14 bytes, and then the payload.
  return `0x61${size}600e60003961${size}6000fd${payload}`
}

const word = (value: number): string => value.toString(16).padStart(64, '0')
const errorOf = (text: string): string => {
  const hex = Buffer.from(text).toString('hex')
  return `08c379a0${word(32)}${word(text.length)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`
}

describe('a revert', () => {
  let node: DevNode
  let client: Client

  beforeAll(async () => {
    node = await startDevNode()
    client = createClient({ url: node.networks.dev.httpUrl })
  })

  afterAll(() => node.close())

  const cases = [
    ['of require', errorOf('no more of these'), { kind: 'error', message: 'no more of these' }],
    [
      'of an overflow',
      `4e487b71${word(0x11)}`,
      { kind: 'panic', code: 0x11n, meaning: expect.stringContaining('overflow') },
    ],
    [
      'of a custom error',
      `cf479181${word(5)}${word(7)}`,
      { kind: 'custom', selector: '0xcf479181', args: `0x${word(5)}${word(7)}` },
    ],
    ['without a reason', '', { kind: 'empty' }],
  ] as const

  it.each(cases)('%s is told by its reason, whichever way it is called', async (_what, payload, reason) => {
    const call = { from, data: revertingWith(payload) } as const
    const ways = [
      () => client.eth.estimateGas([call]),
      () => client.eth.call([call]),
      () => client.request('eth_call', [call, 'latest']),
      () => client.requestUnchecked('eth_estimateGas', [call]),
      () => client.requestRaw('eth_estimateGas', [call]),
    ]
    for (const way of ways) {
      const thrown = (await failure(way())) as RevertError
      expect(thrown).toBeInstanceOf(RevertError)
      expect(thrown).toBeInstanceOf(RpcError)
      expect(thrown).toMatchObject({ name: 'RevertError', code: 'rpc', revert: reason })
      expect(thrown.rpc!.code).toBe(3)
    }
  })

  it('is nothing that another error is taken for', async () => {
    const thrown = await failure(client.eth.sendRawTransaction(['0x00']))
    expect(thrown).toBeInstanceOf(RpcError)
    expect(thrown).not.toBeInstanceOf(RevertError)
  })
})
