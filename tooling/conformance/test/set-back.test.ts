import { startDevNode } from '@wayleave/dev-node'
import { expect, it } from 'vitest'
import { httpUrl, startDevGateway, wsUrl } from './support/gateway.ts'
import { ask } from './support/http.ts'
import { openSocket, type TestSocket } from './support/socket.ts'
import { until } from './support/wait.ts'

interface Head {
  readonly number: string
}

/** Whether a subscriber was told a height last. */
const isAt = ({ pushes }: TestSocket, height: number): boolean =>
  Number((pushes().at(-1) as Head | undefined)?.number) === height

it.each([
  { by: 50, way: 'evm_revert' },
  { by: 150, way: 'evm_revert' },
  { by: 3_000, way: 'evm_revert' },
  { by: 200, way: 'anvil_reset' },
])(
  'where anvil is set back by $by blocks by $way, old subscribers close or go on and new ones are told',
  async ({ by, way }) => {
    await using node = await startDevNode()
    await using gateway = await startDevGateway(node)
    const anvil = node.networks.dev.httpUrl
    const height = async (): Promise<number> => Number(await ask(anvil, 'eth_blockNumber'))
    const begin = async (): Promise<TestSocket & { isClosed: boolean }> => {
      const socket = await openSocket(wsUrl(gateway))
      const state = Object.assign(socket, { isClosed: false })
      void socket.closed.then(() => (state.isClosed = true))
      expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.any(String) })
      return state
    }

    if (way === 'evm_revert') await ask(anvil, 'anvil_mine', ['0x14'])
    const snapshot = await ask(anvil, 'evm_snapshot')
    await ask(anvil, 'anvil_mine', [`0x${(by - 5).toString(16)}`])
    await using old = await begin()
    await using forgotten = await begin()
    const filter = await ask(httpUrl(gateway), 'eth_newBlockFilter')
    for (let i = 0; i < 5; i++) {
      await ask(anvil, 'anvil_mine', ['0x1'])
      const at = await height()
      await until('a head for all', () => isAt(old, at) && isAt(forgotten, at))
    }

    await (way === 'evm_revert' ? ask(anvil, 'evm_revert', [snapshot]) : ask(anvil, 'anvil_reset'))
    await ask(anvil, 'anvil_mine', ['0x1'])
    const after = await height()
    await until('an end or the new head', () => [old, forgotten].every((one) => one.isClosed || isAt(one, after)))
    await using next = await begin()
    await ask(anvil, 'anvil_mine', ['0x1'])
    const last = await height()
    await until('a head of the new chain', () => isAt(next, last))
    expect(await ask(httpUrl(gateway), 'eth_blockNumber')).toBe(`0x${last.toString(16)}`)
    await expect(ask(httpUrl(gateway), 'eth_getFilterChanges', [filter])).rejects.toThrow('-32000 filter not found')
  },
)
