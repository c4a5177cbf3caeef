import {
  type Clock,
  coalesce,
  createContext,
  rawJsonFromText,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { rejectionOf } from '../support.ts'
import { recordingNode, textOf, throughRules } from './support.ts'

const asksLimit = 'eth_getBlockByNumber ["latest",false]'
const block = (gasLimit: string): RpcResponse => ({ result: rawJsonFromText(`{"gasLimit":"${gasLimit}"}`) })
const done: RpcResponse = { result: rawJsonFromText('"0x5208"') }
/** Ten times 30,000,000. */
const cap = '0x11e1a300'

/** A node with a gas limit of 30,000,000, and a clock that stands still. */
function scene(answerBlock: () => RpcResponse | Promise<RpcResponse> = () => block('0x1c9c380')) {
  let now = 1_000
  const clock: Clock = { ...systemClock, now: () => now }
  const { handler, asked } = recordingNode((method) => (method === 'eth_getBlockByNumber' ? answerBlock() : done))
  return {
    asked,
    ask: throughRules(handler, clock),
    advance: (ms: number) => void (now += ms),
    /** The params that one `eth_call` had at the node; the question for the limit is left out. */
    async became(params: string): Promise<string | undefined> {
      asked.length = 0
      await throughRules(handler, clock)('eth_call', params)
      return asked.findLast((call) => call !== asksLimit)?.slice('eth_call '.length)
    },
  }
}

describe('gas beyond ten times the block gas limit becomes that', () => {
  it.each([
    ['[{"gas":"0x11e1a301"}]', `[{"gas":"${cap}"}]`],
    ['[{"gas":"0xffffffffffffffffffffff"},"latest"]', `[{"gas":"${cap}"},"latest"]`],
    ['[{"gas":"0XFFFFFFFFF"}]', `[{"gas":"${cap}"}]`],
    ['[{"gas":"0x00000ffffffffff"}]', `[{"gas":"${cap}"}]`],
    ['[{"gas":300000001}]', `[{"gas":"${cap}"}]`],
    ['[{"gas":"300000001"}]', `[{"gas":"${cap}"}]`],
    [`[{"gas":${'9'.repeat(400)}}]`, `[{"gas":"${cap}"}]`],
    [`[{"gas":"0x${'f'.repeat(4_000)}"}]`, `[{"gas":"${cap}"}]`],
    ['[{"g\\u0061s":"0xffff\\u0066ffff"}]', `[{"g\\u0061s":"${cap}"}]`],
  ])('%s', async (params, expected) => {
    expect(await scene().became(params)).toBe(expected)
  })

  it('for both methods', async () => {
    const { ask, asked } = scene()
    for (const method of ['eth_call', 'eth_estimateGas']) await ask(method, '[{"gas":"0xffffffffff"}]')
    expect(asked).toEqual([asksLimit, `eth_call [{"gas":"${cap}"}]`, `eth_estimateGas [{"gas":"${cap}"}]`])
  })

  it('and everything else stays, byte for byte', async () => {
    const before = ' [ {"to":"0x1", "value":12345678901234567890,"x":1e400,"x":-0,"gas" :'
    const after = ' ,"data":"0x\\u0061","gasPrice":"0xffffffffff"} ,{"blockHash":"0x1"},{"gas":"0xffffffffff"}] '
    expect(await scene().became(`${before} "0xffffffffff"${after}`)).toBe(`${before} "${cap}"${after}`)
  })

  it('and a member that fits stays as it was written', async () => {
    const params = '[{"gas":300000000,"Gas":"0xffffffffff"}]'
    expect(await scene().became(params)).toBe(`[{"gas":300000000,"Gas":"${cap}"}]`)
  })

  it('whichever of several a node would take', async () => {
    const params =
      '[{"gas":"0x1","Gas":"0xffffffffff","gas":"0xffffffffff","ga\u017f":"0xffffffffff","gasLimit":9999999999}]'
    const expected = `[{"gas":"0x1","Gas":"${cap}","gas":"${cap}","ga\u017f":"${cap}","gasLimit":"${cap}"}]`
    expect(await scene().became(params)).toBe(expected)
    expect(await scene().became('[{"gas":"0xffffffffff","gas":"0x1"}]')).toBe(`[{"gas":"${cap}","gas":"0x1"}]`)
  })
})

describe('gas that fits goes on as it came', () => {
  it.each([
    `[{"gas":"${cap}"}]`,
    '[{"gas":300000000}]',
    '[{"gas":"0x"}]',
    '[{"gas":"0x0"}]',
    '[{"gas":0}]',
    `[{"gas":"0x${'0'.repeat(5_000)}1"}]`,
    '[{"gas":"0x5208","Gas":null}]',
  ])('%s', async (params) => {
    expect(await scene().became(params)).toBe(params)
  })
})

describe('a call without gas is not held up, and no limit is asked for:', () => {
  it.each([
    '[{}]',
    '[{"to":"0x1","data":"0x"},"latest"]',
    '[{"gasPrice":"0xffffffffffff","maxFeePerGas":"0xffffffffffff","gass":"x","a":{"gas":"0xffffffffffff"}}]',
    '[{"gas":null}]',
    '[null,{"gas":"0xffffffffffff"}]',
    '["gas"]',
    '[[{"gas":"0xffffffffffff"}]]',
    '[]',
  ])('%s', async (params) => {
    const { ask, asked } = scene()
    await ask('eth_call', params)
    expect(asked).toEqual([`eth_call ${params}`])
  })

  it('no params at all', async () => {
    const { ask, asked } = scene()
    await ask('eth_call')
    expect(asked).toEqual(['eth_call'])
  })

  it('another method', async () => {
    const { ask, asked } = scene()
    await ask('eth_sendTransaction', '[{"gas":"0xffffffffff"}]')
    expect(asked).toEqual(['eth_sendTransaction [{"gas":"0xffffffffff"}]'])
  })
})

describe('refused, because a node might read it as more than the cap:', () => {
  it.each([
    '[{"gas":"#ffffffffff"}]',
    '[{"gas":"+99999999999"}]',
    '[{"gas":" 0xffffffffff"}]',
    '[{"gas":"1e12"}]',
    '[{"gas":1e12}]',
    '[{"gas":99999999999.5}]',
    '[{"gas":-1}]',
    '[{"gas":""}]',
    '[{"gas":"ff"}]',
    '[{"gas":["0xffffffffff"]}]',
    '[{"gas":{}}]',
    '[{"gas":true}]',
    '[{"gas":"0x1","GAS":"lots"}]',
  ])('%s', async (params) => {
    const { ask, asked } = scene()
    expect(await ask('eth_call', params)).toEqual({
      error: { code: -32602, message: 'invalid argument 0: gas: a hex quantity was expected' },
    })
    expect(asked).toEqual([])
  })

  it('params by name', async () => {
    const { ask, asked } = scene()
    const refused = { error: { code: -32602, message: 'non-array args' } }
    expect(await ask('eth_call', '{"request":{"gas":"0xffffffffff"}}')).toEqual(refused)
    expect(asked).toEqual([])
  })
})

describe('the limit', () => {
  it('is asked for by the first call with gas, then not while it is fresh, nor for gas that fits a known one', async () => {
    const { ask, asked, advance } = scene()
    const large = '[{"gas":"0xffffffffff"}]'
    const small = '[{"gas":"0x5208"}]'
    const questions = async (params: string): Promise<number> => {
      asked.length = 0
      await ask('eth_call', params)
      return asked.filter((call) => call === asksLimit).length
    }
    expect(await questions(small)).toBe(1)
    expect(await questions(large)).toBe(0)
    advance(4_999)
    expect(await questions(large)).toBe(0)
    advance(1)
    expect(await questions(small)).toBe(0)
    expect(await questions(large)).toBe(1)
    expect(await questions(large)).toBe(0)
  })

  it('follows the latest block', async () => {
    let limit = '0x1c9c380'
    const { ask, asked, advance } = scene(() => block(limit))
    await ask('eth_call', '[{"gas":"0xffffffffff"}]')
    limit = '0x3938700'
    advance(5_000)
    await ask('eth_call', '[{"gas":"0xffffffffff"}]')
    expect(asked.at(-1)).toBe('eth_call [{"gas":"0x23c34600"}]')
  })

  it.each<[string, () => RpcResponse | Promise<RpcResponse>]>([
    ['the node answers an error', () => ({ error: { code: -32000, message: 'no' } })],
    ['no node answers', () => Promise.reject(new RpcError('unavailable', 'no'))],
    ['there is no block', () => ({ result: rawJsonFromText('null') })],
    ['the block has no limit', () => ({ result: rawJsonFromText('{}') })],
    ['the limit is no quantity', () => block('30000000')],
    ['the limit is nothing', () => block('0x0')],
  ])(
    'is unknown where %s: the gas goes on as it came, and the node is not asked again at once',
    async (_what, answer) => {
      const { ask, asked } = scene(answer)
      const params = '[{"gas":"0xffffffffff"}]'
      expect(textOf(await ask('eth_call', params))).toBe('"0x5208"')
      await ask('eth_call', params)
      expect(asked).toEqual([asksLimit, `eth_call ${params}`, `eth_call ${params}`])
    },
  )

  it('that was known holds on where a newer one cannot be had', async () => {
    let answer = block('0x1c9c380')
    const { ask, asked, advance } = scene(() => answer)
    await ask('eth_call', '[{"gas":"0x1"}]')
    answer = { error: { code: -32000, message: 'no' } }
    advance(60_000)
    await ask('eth_call', '[{"gas":"0xffffffffff"}]')
    expect(asked.at(-1)).toBe(`eth_call [{"gas":"${cap}"}]`)
  })

  it('is waited for no longer than two seconds', async () => {
    const waits: number[] = []
    const clock: Clock = {
      ...systemClock,
      // The wait for the limit is over at once; the call has its thirty seconds.
      after(ms, run) {
        waits.push(ms)
        return ms <= 2_000 ? systemClock.after(0, run) : () => {}
      },
    }
    const silent: RpcHandler = ({ method }, below) =>
      method === 'eth_call' ? Promise.resolve(done) : new Promise((_resolve, reject) => void below.onCancel(reject))
    const context = createContext({ clock })
    expect(textOf(await throughRules(silent, clock)('eth_call', '[{"gas":"0xffffffffff"}]', context))).toBe('"0x5208"')
    expect(waits.map((ms) => Math.round(ms / 100) * 100)).toEqual([30_000, 2_000])
  })

  it('is asked for whole, as part of a stream tells nothing', async () => {
    const accepted: boolean[] = []
    const node: RpcHandler = async ({ method }, below) => {
      accepted.push(below.acceptStream)
      return method === 'eth_call' ? done : block('0x1c9c380')
    }
    await throughRules(node)('eth_call', '[{"gas":"0x1"}]', createContext({ acceptStream: true }))
    expect(accepted).toEqual([false, true])
  })

  it('is not unknown to the others because the caller who made the gateway ask has left', async () => {
    const { handler, asked } = recordingNode((method) => (method === 'eth_call' ? done : block('0x1c9c380')))
    const why = new RpcError('aborted', 'the caller closed the connection')
    const leaving: RpcHandler = (request, below) =>
      leaver.cancelled === undefined
        ? new Promise((_resolve, reject) => void below.onCancel(reject))
        : handler(request, below)
    const ask = throughRules(leaving)
    const leaver = createContext()
    const left = rejectionOf(ask('eth_call', '[{"gas":"0xffffffffff"}]', leaver))
    leaver.cancel(why)
    expect(await left).toBe(why)
    expect(asked).toEqual([])
    await ask('eth_call', '[{"gas":"0xffffffffff"}]')
    expect(asked).toEqual([asksLimit, `eth_call [{"gas":"${cap}"}]`])
  })

  it('is asked for once by calls side by side, of which the first may leave', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { handler, asked } = recordingNode(async (method) => {
      if (method === 'eth_call') return done
      await gate
      return block('0x1c9c380')
    })
    // As below the rules of a network.
    const shared = coalesce({ clock: systemClock, key: ({ method, params }) => `${method} ${params?.text()}` })(handler)
    const ask = throughRules(shared)
    const leaver = createContext()
    const left = rejectionOf(ask('eth_call', '[{"gas":"0xffffffffff"}]', leaver))
    const stayed = Promise.all([1, 2, 3].map(() => ask('eth_call', '[{"gas":"0xfffffffffff"}]')))
    const why = new RpcError('aborted', 'the caller closed the connection')
    leaver.cancel(why)
    expect(await left).toBe(why)
    release()
    expect((await stayed).map(textOf)).toEqual(['"0x5208"', '"0x5208"', '"0x5208"'])
    expect(asked).toEqual([asksLimit, `eth_call [{"gas":"${cap}"}]`])
  })
})

it('a hostile number costs no time to speak of', async () => {
  const { became } = scene()
  const zeros = '0'.repeat(2_000_000)
  expect(await became(`[{"gas":"0x${zeros}g"}]`)).toBeUndefined()
  expect(await became(`[{"gas":"${zeros}"}]`)).toBe(`[{"gas":"${zeros}"}]`)
})

describe('where heads are followed', () => {
  const header = (gasLimit: string) => rawJsonFromText(`{"number":"0x1","gasLimit":"${gasLimit}"}`)
  const excessive = '[{"gas":"0xffffffffffff"}]'

  it('the limit is that of the served head, and no node is asked for it', async () => {
    const { handler, asked } = recordingNode(() => done)
    let head = header('0x1c9c380')
    const ask = throughRules(handler, systemClock, () => head)
    await ask('eth_call', excessive)
    head = header('0x10')
    await ask('eth_call', excessive)
    await ask('eth_call', excessive)
    expect(asked).toEqual([`eth_call [{"gas":"${cap}"}]`, 'eth_call [{"gas":"0xa0"}]', 'eth_call [{"gas":"0xa0"}]'])
  })

  it.each([undefined, rawJsonFromText('{"number":"0x1"}'), rawJsonFromText('null'), rawJsonFromText('{"a"}')])(
    'a node is asked, once in five seconds, while the head does not tell it (%#)',
    async (head) => {
      const { handler, asked } = recordingNode((method) =>
        method === 'eth_getBlockByNumber' ? block('0x1c9c380') : done,
      )
      const ask = throughRules(handler, { ...systemClock, now: () => 0 }, () => head)
      for (let i = 0; i < 2; i++) await ask('eth_call', excessive)
      expect(asked).toEqual([asksLimit, `eth_call [{"gas":"${cap}"}]`, `eth_call [{"gas":"${cap}"}]`])
    },
  )
})
