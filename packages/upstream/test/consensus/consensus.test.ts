import { rawJsonFromText, rawJsonFromValue, type RpcHandler, RpcError, type RpcRequest } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { type Candidate, type ConsensusOptions, createConsensus, createSelection } from '@wayleave/upstream'
import { failing, hanging, held, scene, settled, reporting } from '../pool-scene.ts'
import { answering, call, rejectionOf, resultOf } from '../support.ts'

const only = new WeakMap<RpcRequest, string>()
const subject = call('eth_call', [{}, '0x1'])

/** A consensus over upstreams a, b, c, that are asked in this order. */
function consensus(handlers: readonly RpcHandler[], options: Partial<ConsensusOptions> = {}) {
  const pooled = scene(handlers, {
    isRepeatable: () => true,
    selection: {
      excludes: ({ endpoint }, { request }) =>
        (only.get(request) ?? endpoint.name) === endpoint.name ? undefined : 'not_chosen',
    },
  })
  const outcomes: string[] = []
  const blamed: string[] = []
  const extras: boolean[] = []
  const handler = createConsensus({
    pool: pooled.pool,
    clock: pooled.clock,
    participants: 3,
    agreement: 2,
    isSubject: ({ method }) => method === 'eth_call',
    order: (request) => pooled.selection.order({ request, class: 'read', now: pooled.clock.now() }),
    askOnly(request, { endpoint }, isExtra) {
      extras.push(isExtra)
      const asked = { ...request }
      only.set(asked, endpoint.name)
      return asked
    },
    classOf: () => 'read',
    isRefusal: (_, { error }) => error?.code === -32_001,
    rulesOf: () => ({ required: new Set(['gas']), free: new Set(['size']) }),
    errorClassOf: (_, { code, data }) => `${code} ${String(data)}`,
    onDiffers: ({ endpoint }) => blamed.push(endpoint.name),
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  })
  return { ...pooled, ask: (request = subject) => handler(request, pooled.context), outcomes, blamed, extras }
}

const truth = answering('0x0000000a')
const lie = answering('0x0000000b')

describe('createConsensus', () => {
  it('gives the answer on which two of three agree, and blames the third', async () => {
    for (const handlers of [
      [truth, truth, lie],
      [truth, lie, truth],
      [lie, truth, truth],
    ]) {
      const { ask, outcomes, blamed, take, extras } = consensus(handlers)
      const response = await ask()
      await settled()
      expect(resultOf(response)).toBe('0x0000000a')
      expect(response.meta).toMatchObject({ attempts: 3 })
      expect(take()).toBe('abc')
      expect(extras).toEqual([false, true, true])
      expect({ outcomes, blamed }).toEqual({ outcomes: ['agreed'], blamed: ['abc'[handlers.indexOf(lie)]] })
    }
  })

  it('answers as soon as two agree, and looks at the third when it comes', async () => {
    const third = held()
    const { ask, blamed, held: slots } = consensus([truth, truth, third.handler])
    expect(resultOf(await ask())).toBe('0x0000000a')
    expect(blamed).toEqual([])
    third.open[0]!.answer({ result: rawJsonFromValue('0x0000000b') })
    await settled()
    expect(blamed).toEqual(['c'])
    expect(slots()).toBe(0)
  })

  it('gives up a third that is late, and has no timer left then', async () => {
    const third = hanging()
    const { ask, clock, context, pass, pending } = consensus([truth, truth, third.handler])
    await ask()
    await pass(2_000)
    expect(third.cancelled).toHaveLength(1)
    expect(pending()).toBe(0)
    context.release()
    await pass(50)
    expect(clock.timers).toBe(0)
  })

  it('replaces an upstream that fails, one that refuses, and one that is silent', async () => {
    const failed = consensus([failing('connect'), truth, reporting(-32_001, 'pruned'), truth])
    expect(resultOf(await failed.ask())).toBe('0x0000000a')
    expect(failed.take()).toBe('abcd')
    const silent = consensus([hanging().handler, lie, truth, truth])
    const answer = silent.ask()
    await silent.pass(1_100)
    expect(resultOf(await answer)).toBe('0x0000000a')
    expect(silent.take()).toBe('abcd')
  })

  it('takes errors of one class to agree, and blames nobody for an error', async () => {
    const reverting =
      (data: string, message: string): RpcHandler =>
      async () => ({ error: { code: 3, message, data } })
    const { ask, blamed } = consensus([reverting('0xaa', 'reverted'), lie, reverting('0xaa', 'execution reverted')])
    expect((await ask()).error).toMatchObject({ code: 3, data: '0xaa', message: 'reverted' })
    expect(blamed).toEqual([])
    const other = consensus([reverting('0xaa', 'reverted'), reverting('0xbb', 'reverted'), lie])
    expect(await rejectionOf(other.ask())).toMatchObject({ code: 'unavailable' })
  })

  it.each([
    ['lies', lie],
    ['fails', failing('connect')],
  ])('waits for the last one where the others differ in a free member: it %s', async (_, last) => {
    const [one, other] = [answering({ gas: '0x1', size: '0x5' }), answering({ gas: '0x1', size: '0x60' })]
    const { ask, take } = consensus([one, other, last])
    expect(resultOf(await ask())).toEqual({ gas: '0x1', size: '0x5' })
    expect(take()).toBe('abc')
    const decided = consensus([one, other, other])
    expect(resultOf(await decided.ask())).toEqual({ gas: '0x1', size: '0x60' })
  })

  const receipt = { gas: '0x1', status: '0x0' }
  const { status: _status, ...bare } = receipt
  it.each<[string, readonly unknown[], unknown]>([
    ['that two of three leave out is left out', [{ ...receipt, fee: '0x1' }, bare, receipt], receipt],
    [
      'that two of three give is given',
      [{ ...receipt, fee: '0x1' }, receipt, { ...bare, fee: '0x1' }],
      { ...receipt, fee: '0x1' },
    ],
    [
      'that one alone gives is left out, though no answer is without',
      [
        { ...receipt, a: '0x1' },
        { ...receipt, b: '0x1' },
        { ...bare, c: '0x1' },
      ],
      receipt,
    ],
    [
      'of a list is looked at item by item',
      [[{ gas: '0x1', a: '0x1' }], [{ gas: '0x1', b: '0x1' }], [{ gas: '0x1', a: '0x1', c: '0x1' }]],
      [{ gas: '0x1', a: '0x1' }],
    ],
    [
      'that is null where it is there stays',
      [
        { gas: '0x1', a: '0x1', to: null },
        { gas: '0x1', b: '0x1', to: null },
        { gas: '0x1', c: '0x1' },
      ],
      { gas: '0x1', to: null },
    ],
    [
      'that may differ is that of most',
      [
        { gas: '0x1', size: '0x3', a: '0x1' },
        { gas: '0x1', size: '0x2', b: '0x1' },
        { gas: '0x1', size: '0x2', c: '0x1' },
      ],
      { gas: '0x1', size: '0x2' },
    ],
    [
      'with a name of objects is left as it is',
      [
        JSON.parse('{"gas":"0x1","__proto__":"0x1","a":"0x1"}'),
        JSON.parse('{"gas":"0x1","__proto__":"0x1","b":"0x1"}'),
        { gas: '0x1' },
      ],
      JSON.parse('{"gas":"0x1","__proto__":"0x1"}'),
    ],
  ])('gives no member that fewer answers have than must agree: one %s', async (_what, values, reported) => {
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      const { ask, outcomes } = consensus(order.map((i) => answering(values[i])))
      expect(JSON.stringify(resultOf(await ask()))).toBe(JSON.stringify(reported))
      expect(outcomes).toEqual(['agreed'])
    }
  })

  it('blames nobody for a member that is not in the answer', async () => {
    const values = [{ ...receipt, fee: '0x2' }, receipt, { ...receipt, fee: '0x1' }]
    const { ask, blamed } = consensus(values.map((value) => answering(value)))
    expect(resultOf(await ask())).toEqual(receipt)
    await settled()
    expect(blamed).toEqual([])
  })

  it('gives no member that one alone has where one upstream fails', async () => {
    const { ask } = consensus([answering({ ...receipt, fee: '0x1' }), failing('disconnected'), answering(receipt)])
    expect(resultOf(await ask())).toEqual(receipt)
  })

  it('takes an answer with a member that stands twice to agree with none', async () => {
    const twice: RpcHandler = async () => ({ result: rawJsonFromText('{"gas":"0x2","gas":"0x1"}') })
    const { ask } = consensus([twice, answering({ gas: '0x1' }), answering({ gas: '0x1' })])
    expect((await ask()).result).toHaveProperty('byteLength', '{"gas":"0x1"}'.length)
  })

  it.each([
    ['error', undefined],
    ['verified', '0x0b'],
    ['head', '0x0c'],
  ] as const)('decides a dispute by %s', async (onDispute, expected) => {
    const { ask, outcomes, blamed } = consensus(['0x0a', '0x0b', '0x0c'].map(answering), {
      onDispute,
      isVerified: ({ result }) => result !== undefined && 'value' in result && result.value() === '0x0b',
      hasHead: ({ endpoint }) => endpoint.name === 'c',
    })
    const answer = ask()
    if (expected === undefined) {
      const text = 'upstreams disagree on the answer: 1 of 3 gave the same, 2 are needed'
      expect(await rejectionOf(answer)).toMatchObject({ code: 'unavailable', message: text })
    } else expect(resultOf(await answer)).toBe(expected)
    expect({ outcomes, blamed }).toEqual({ outcomes: [expected === undefined ? 'disputed' : onDispute], blamed: [] })
  })

  it('is an error where nothing that is preferred is there', async () => {
    const { ask } = consensus([truth, lie, answering('0x')], { onDispute: 'verified' })
    expect(await rejectionOf(ask())).toMatchObject({ code: 'unavailable' })
  })

  it('asks nobody where there are too few, and is an error where too few answer', async () => {
    const error = consensus([truth])
    const text = 'too few upstreams answered to compare their answers: 0, and 2 are needed'
    expect(await rejectionOf(error.ask())).toMatchObject({ code: 'unavailable', message: text })
    expect(error.take()).toBe('')
    const few = consensus([truth, failing('connect')])
    expect(await rejectionOf(few.ask())).toMatchObject({ message: text.replace(': 0', ': 1') })
    expect(few.outcomes).toEqual(['too_few'])
  })

  it('counts only those that were asked', async () => {
    const { ask, extras } = consensus([truth, truth, truth], {
      pool: async (request, context) => {
        if (only.get(request) === 'a') {
          const nobody = scene([truth], { isRepeatable: () => true, selection: { excludes: () => 'group' } })
          return nobody.pool(request, nobody.context)
        }
        return truth(request, context)
      },
    })
    expect((await ask()).meta?.attempts).toBe(2)
    expect(extras).toEqual([false, true, true])
  })

  it('rejects with the first failure where nobody answers, and passes the first refusal on', async () => {
    const failed = consensus([failing('connect'), failing('connect'), failing('connect')])
    expect(await rejectionOf(failed.ask())).toBeInstanceOf(RpcError)
    expect(failed.outcomes).toEqual(['failed'])
    const refused = consensus(Array.from({ length: 3 }, () => reporting(-32_001, 'pruned')))
    expect((await refused.ask()).error).toMatchObject({ message: 'pruned' })
  })

  it('tells a dispute before the deadline, though another upstream hangs', async () => {
    const { ask, pass, outcomes } = consensus([truth, lie, hanging().handler])
    const answer = rejectionOf(ask())
    await pass(29_950, 50)
    expect(await answer).toMatchObject({ code: 'unavailable', message: expect.stringContaining('disagree') })
    expect(outcomes).toEqual(['disputed'])
  })

  it('ends every question with its caller', async () => {
    const silent = Array.from({ length: 3 }, hanging)
    const { ask, context, clock, pending, pass } = consensus(silent.map(({ handler }) => handler))
    const answer = rejectionOf(ask())
    context.cancel(new RpcError('aborted', 'gone'))
    expect(await answer).toMatchObject({ code: 'aborted' })
    expect(silent.map(({ cancelled }) => cancelled.length)).toEqual([1, 1, 1])
    expect(pending()).toBe(0)
    await pass(50)
    expect(clock.timers).toBe(0)
  })

  it('leaves all other calls and notifications to the pool', async () => {
    const { ask, take } = consensus([truth, truth, truth])
    await ask(call('eth_chainId'))
    await ask({ ...subject, notification: true })
    expect(take()).toBe('aa')
  })

  it('pins a call before it is asked, and passes an answer of the pin on', async () => {
    const pinned = call('eth_call', [{}, '0x2'])
    const seen: RpcRequest[] = []
    const seeing: RpcHandler = async (request, context) => {
      seen.push(request)
      return truth(request, context)
    }
    const { ask } = consensus([seeing, seeing], { pin: async () => pinned })
    await ask()
    expect(seen.map(({ params }) => params)).toEqual([pinned.params, pinned.params])
    const answered = consensus([truth, truth], { pin: async () => ({ result: rawJsonFromText('"0x5"') }) })
    expect(resultOf(await answered.ask())).toBe('0x5')
    expect(answered.take()).toBe('')
  })

  it('passes an answer over that its host takes for none', async () => {
    const { ask, take } = consensus([answering(null), truth, answering(null), truth], {
      isRefusal: (_, { result }) => result !== undefined && 'text' in result && result.text() === 'null',
    })
    expect(resultOf(await ask())).toBe('0x0000000a')
    expect(take()).toBe('abcd')
  })

  it('blames nobody for an empty answer, nor for another one than an empty one', async () => {
    const empty = answering([])
    for (const handlers of [
      [truth, truth, empty],
      [empty, empty, lie],
    ]) {
      const { ask, blamed } = consensus(handlers)
      await ask()
      await settled()
      expect(blamed).toEqual([])
    }
  })

  it('asks one endpoint of an upstream that has two', async () => {
    const { ask, candidates, take } = consensus([truth, truth, truth])
    const twin: Candidate = { ...candidates[0]! }
    const selection = createSelection({ candidates: [...candidates, twin], random: () => 0 })
    const { ask: askTwice, take: taken } = consensus([truth, truth, truth], {
      order: (request) => selection.order({ request, class: 'read', now: 0 }),
    })
    await askTwice()
    await ask()
    expect([taken().length, take().length]).toEqual([3, 3])
  })

  it('refuses numbers that cannot be met', () => {
    expect(() => consensus([truth], { agreement: 4 })).toThrow('agreement must be from 2 to participants (3), but is 4')
    expect(() => consensus([truth], { agreement: 1 })).toThrow(RangeError)
  })
})
