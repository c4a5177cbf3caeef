import type { Project } from '@wayleave/auth'
import { rawJsonFromText, RpcError, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { GatewayContext } from '../../../src/rpc/context.ts'
import { authorize } from '../../../src/rpc/stages/authorize.ts'
import { call, principalOf, rejectionOf, resultOf } from '../../support.ts'

const open: Project = { id: 'p', name: 'p', requireSecret: false }

function scene(denyMethods: readonly string[], networks?: readonly string[]) {
  const asked: string[] = []
  const below: RpcHandler<GatewayContext> = async ({ method }) => {
    asked.push(method)
    return { result: rawJsonFromText('"passed"') }
  }
  const project = networks === undefined ? open : { ...open, networks }
  const context = new GatewayContext(
    { clock: systemClock, deadline: Infinity },
    { principal: principalOf(project), network: 'mainnet', traceId: 't' },
  )
  const handler = authorize({ denyMethods })(below as RpcHandler)
  return { asked, send: (method: string) => handler(call(method), context) }
}

describe('a method', () => {
  it.each([
    'admin_peers',
    'admin_',
    'debug_setHead',
    'Admin_peers',
    'ADMIN_PEERS',
    'debug_sethead',
    ' admin_peers',
    'debug_setHead\0',
    'admin\u00ad_peers',
    '\u200bdebug_setHead',
    // Names that a node may fold into another: a long s, a dot, spaces, full-width letters.
    'per\u017fonal_sign',
    'admin.peers',
    'admin_ peers',
    '\uff41dmin_peers',
    'eth_chainId ',
    'rpc.discover',
  ])('%s that is denied does not exist, in the words of a node', async (method) => {
    const { send, asked } = scene(['admin_*', 'debug_setHead'])
    expect(await send(method)).toEqual({
      error: { code: -32601, message: `the method ${method} does not exist/is not available` },
    })
    expect(asked).toEqual([])
  })

  it.each(['eth_chainId', 'admin', 'xadmin_peers', 'debug_setHead2', 'debug_traceCall'])(
    '%s that is not denied passes',
    async (method) => {
      const { send } = scene(['admin_*', 'debug_setHead'])
      expect(resultOf(await send(method))).toBe('passed')
    },
  )

  it('passes whatever it is where nothing is denied', async () => {
    for (const method of ['admin_peers', 'admin.peers', 'per\u017fonal_sign', '']) {
      expect(resultOf(await scene([]).send(method))).toBe('passed')
    }
  })
})

describe('a network', () => {
  it('that the project may use passes', async () => {
    expect(resultOf(await scene([], ['base', 'mainnet']).send('eth_chainId'))).toBe('passed')
  })

  it.each([[['base']], [[]]])('that the project may not use is denied (it may use %j)', async (networks) => {
    const { send, asked } = scene([], networks)
    const why = await rejectionOf(send('eth_chainId'))
    const message = 'project ID does not have access to mainnet'
    expect(why).toBeInstanceOf(RpcError)
    expect(why).toMatchObject({ code: 'denied', delivery: 'not_sent', message, rpc: { code: -32002, message } })
    expect(asked).toEqual([])
  })

  it('is judged before the method, so that nobody learns of denied methods elsewhere', async () => {
    expect(await rejectionOf(scene(['admin_*'], ['base']).send('admin_peers'))).toMatchObject({ code: 'denied' })
  })
})
