import { type DenialReason, parseRules, type Project, type RuleEntries } from '@wayleave/auth'
import { rawJsonFromText, RpcError, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '@wayleave/network/internal/kinds/index'
import type { Denial } from '../../../src/denial.ts'
import { GatewayContext } from '../../../src/context/context.ts'
import { authorize } from '../../../src/rpc/stages/authorize.ts'
import { call, principalOf, rejectionOf, resultOf } from '../../support.ts'

const open: Project = { id: 'p', name: 'p', requireSecret: false }

interface SceneOptions {
  readonly denyMethods?: readonly string[]
  readonly allowMethods?: readonly string[]
  readonly rules?: RuleEntries
  readonly denied?: DenialReason
}

function scene({ denyMethods = [], allowMethods, rules, denied }: SceneOptions) {
  const asked: string[] = []
  const denials: Denial[] = []
  const below: RpcHandler<GatewayContext> = async ({ method }) => {
    asked.push(method)
    return { result: rawJsonFromText('"passed"') }
  }
  const principal = { ...principalOf(open), ...(rules && { rules: parseRules(rules) }) }
  const context = new GatewayContext(
    { clock: systemClock, deadline: Infinity },
    { principal, denied, network: 'mainnet', traceId: 't' },
  )
  const { addressesOf } = networkKinds.evm
  const noteDenial = (denial: Denial): void => void denials.push(denial)
  const handler = authorize({ denyMethods, allowMethods, addressesOf, noteDenial })(below as RpcHandler)
  return { asked, denials, send: (method: string, params?: unknown) => handler(call(method, params), context) }
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
    const { send, asked } = scene({ denyMethods: ['admin_*', 'debug_setHead'] })
    expect(await send(method)).toEqual({
      error: { code: -32601, message: `the method ${method} does not exist/is not available` },
    })
    expect(asked).toEqual([])
  })

  it.each(['eth_chainId', 'admin', 'xadmin_peers', 'debug_setHead2', 'debug_traceCall'])(
    '%s that is not denied passes',
    async (method) => {
      const { send } = scene({ denyMethods: ['admin_*', 'debug_setHead'] })
      expect(resultOf(await send(method))).toBe('passed')
    },
  )

  it.each([['stop'], ['STOP'], ['st*']])('that the network allows is still denied where %s is', async (entry) => {
    const { send, asked } = scene({ denyMethods: [entry], allowMethods: ['getblockcount', 'stop'] })
    expect(await send('stop')).toMatchObject({ error: { code: -32601 } })
    expect(resultOf(await send('getblockcount'))).toBe('passed')
    expect(asked).toEqual(['getblockcount'])
  })

  it('passes whatever it is where nothing is denied', async () => {
    for (const method of ['admin_peers', 'admin.peers', 'per\u017fonal_sign', '']) {
      expect(resultOf(await scene({}).send(method))).toBe('passed')
    }
  })
})

describe('a call of a request that was denied', () => {
  it.each(['network', 'source', 'origin', 'user_agent'] as const)('for its %s reaches no node', async (denied) => {
    const { send, asked, denials } = scene({ denied })
    const why = await rejectionOf(send('eth_chainId'))
    const message =
      denied === 'network' ? 'project ID does not have access to mainnet' : 'rejected due to project ID settings'
    expect(why).toBeInstanceOf(RpcError)
    expect(why).toMatchObject({ code: 'denied', delivery: 'not_sent', message, rpc: { code: -32002, message } })
    expect(denials).toMatchObject([{ reason: denied, traceId: 't', network: 'mainnet', method: 'eth_chainId' }])
    expect(asked).toEqual([])
  })

  it('is judged before its method, so that nobody learns of denied methods elsewhere', async () => {
    const { send } = scene({ denyMethods: ['admin_*'], denied: 'network' })
    expect(await rejectionOf(send('admin_peers'))).toMatchObject({ code: 'denied' })
  })
})

describe('the rules of a project', () => {
  const listed = '0x7F39C581f595B53c5cb19bD0b3f8dA6c935E2Ca0'
  const settings = { code: -32002, message: 'rejected due to project ID settings' }

  it('pass listed methods alone, as they are written', async () => {
    const { send, asked, denials } = scene({ rules: { methods: ['eth_call', 'eth_chainId'] } })
    expect(resultOf(await send('eth_chainId'))).toBe('passed')
    for (const method of ['eth_getLogs', 'ETH_CHAINID', 'eth_chainId ', '']) {
      expect(await rejectionOf(send(method))).toMatchObject({ code: 'denied', rpc: settings })
    }
    expect(asked).toEqual(['eth_chainId'])
    expect(denials.map(({ reason }) => reason)).toEqual(Array.from({ length: 4 }, () => 'method'))
  })

  it('pass calls of listed contracts alone, and methods that have none', async () => {
    const { send, asked, denials } = scene({ rules: { addresses: [listed] } })
    expect(resultOf(await send('eth_call', [{ to: listed.toLowerCase() }, 'latest']))).toBe('passed')
    expect(resultOf(await send('eth_chainId'))).toBe('passed')
    const other = `0x${'1'.repeat(40)}`
    for (const to of [other, undefined]) {
      expect(await rejectionOf(send('eth_call', [{ to }, 'latest']))).toMatchObject({ code: 'denied', rpc: settings })
    }
    expect(asked).toEqual(['eth_call', 'eth_chainId'])
    expect(denials.map(({ reason }) => reason)).toEqual(['address', 'address'])
  })
})
