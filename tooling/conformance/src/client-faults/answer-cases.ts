import { demand, type FaultCase, Hang, patienceMs, rejectionOf, valueOf } from './fault-case.ts'
import { answerEach, type HostileNode, printAnswer, type ReceivedCall, sendBody } from './hostile-node.ts'
import { chainOf, fullText, settle } from './settled.ts'
import { balance, html, openWarm, spoil, spoilAnswers } from './spoil.ts'
import { type NamedCall, someAddress } from './subject.ts'
import { feeMarketTransaction, legacyTransaction } from './transactions.ts'

const three: readonly NamedCall[] = ['0x1', '0x2', '0x3'].map((block) => ({
  method: 'eth_getBalance',
  params: [someAddress, block],
}))
const results = three.map(({ params }) => params[1])

/** Answers a batch of three with `bodyOf`. A repeated call is answered correctly, by the block that it names. */
function answerBatch(node: HostileNode, bodyOf: (answers: readonly string[]) => string): void {
  const textOf = (call: ReceivedCall): string => printAnswer(call, { result: call.params[1] })
  spoil(node, 'eth_getBalance', (post) => {
    if (post.calls.length === 3) sendBody(post.response, bodyOf(post.calls.map(textOf)))
    else answerEach(post, textOf)
  })
}

/** Tells whether an error can be recognised without its text, by a class or a code of its own. */
function isTyped(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const { code } = thrown as { code?: unknown }
  const ownClass = !['Error', 'TypeError', 'SyntaxError', 'RangeError'].includes(thrown.name)
  return ownClass || typeof code === 'string' || typeof code === 'number'
}

const panic = `0x4e487b71${'11'.padStart(64, '0')}`

/** Cases about the content of answers. */
export const answerCases: readonly FaultCase[] = [
  {
    number: 1,
    title: 'refuses a response with the id of another call',
    async run(stage) {
      const { node } = stage
      spoilAnswers(node, 'eth_getBalance', ({ id }) =>
        printAnswer({ id: typeof id === 'number' ? id + 1000 : `${id}0` }, { result: '0x2a' }),
      )
      const client = await openWarm(stage)
      await rejectionOf(client.request(balance))
    },
  },
  {
    number: 2,
    title: 'refuses a response without result and error',
    async run(stage) {
      const { node } = stage
      spoilAnswers(node, 'eth_getBalance', (call) => printAnswer(call, {}))
      const client = await openWarm(stage)
      await rejectionOf(client.request(balance))
    },
  },
  {
    number: 3,
    title: 'matches a reordered batch by its ids',
    async run(stage) {
      const { node } = stage
      answerBatch(node, (answers) => `[${answers.toReversed().join(',')}]`)
      const client = await openWarm(stage, { batching: true })
      const values = await Promise.all(client.batch(three).map((call) => valueOf(call)))
      demand(values.join() === results.join(), `the answers went to other calls: ${values.join()}`)
    },
  },
  {
    number: 4,
    title: 'fails only the call whose reply is missing from a batch',
    async run(stage) {
      const { node } = stage
      answerBatch(node, ([first, , third]) => `[${first},${third}]`)
      const client = await openWarm(stage, { batching: true })
      const [first, second, third] = await Promise.all(client.batch(three).map((call) => settle(call, patienceMs)))
      if (second!.how === 'hang') throw new Hang('the call without a reply never ends')
      demand(second!.how === 'rejected', 'the call without a reply resolved')
      demand(first!.how === 'fulfilled' && third!.how === 'fulfilled', 'the answered calls failed with it')
    },
  },
  {
    number: 5,
    title: 'gives every call of a batch the code of a single error object',
    async run(stage) {
      const { node } = stage
      const error = { code: -32005, message: 'daily request count exceeded' }
      spoil(node, 'eth_getBalance', ({ response }) => sendBody(response, printAnswer({ id: null }, { error })))
      const client = await openWarm(stage, { batching: true })
      const reasons = await Promise.all(client.batch(three).map((call) => rejectionOf(call)))
      const known = reasons.filter((thrown) =>
        chainOf(thrown).some(
          ({ code, rpc }) => code === error.code || (rpc as { code?: unknown })?.code === error.code,
        ),
      )
      demand(known.length === 3, `${3 - known.length} of 3 errors have no code ${error.code}`)
    },
  },
  {
    number: 11,
    title: 'has a typed error for a page with status 200',
    async run(stage) {
      const { node } = stage
      spoil(node, 'eth_getBalance', ({ response }) => sendBody(response, html, { 'content-type': 'text/html' }))
      const client = await openWarm(stage)
      const thrown = await rejectionOf(client.request(balance))
      demand(isTyped(thrown), `a bare ${thrown instanceof Error ? thrown.name : typeof thrown}`)
    },
  },
  {
    number: 12,
    title: 'refuses the quantity "123"',
    async run(stage) {
      const { node } = stage
      let result = '0x5208'
      spoilAnswers(node, 'eth_estimateGas', (call) => printAnswer(call, { result }))
      // Each answer needs a new client, as some clients cache answers for a moment.
      demand(Number(await valueOf((await openWarm(stage)).estimateGas())) === 21_000, 'it misread 0x5208')
      result = '123'
      await rejectionOf((await openWarm(stage)).estimateGas())
    },
  },
  {
    number: 13,
    title: 'notices that a transaction is another than it asked for',
    async run(stage) {
      const { node } = stage
      const { hash } = legacyTransaction
      let result: object = legacyTransaction
      spoilAnswers(node, 'eth_getTransactionByHash', (call) => printAnswer(call, { result }))
      const found = await valueOf((await openWarm(stage)).getTransaction(hash))
      demand((found as { hash?: unknown } | null)?.hash === hash, 'it did not find the true one')
      // First another transaction as it is, then with the hash that was asked for.
      for (result of [feeMarketTransaction, { ...feeMarketTransaction, hash }]) {
        await rejectionOf((await openWarm(stage)).getTransaction(hash))
      }
    },
  },
  {
    number: 14,
    title: 'decodes Panic(0x11)',
    async run(stage) {
      const { node } = stage
      const error = { code: 3, message: 'execution reverted', data: panic }
      spoilAnswers(node, 'eth_estimateGas', (call) => printAnswer(call, { error }))
      const client = await openWarm(stage)
      const text = fullText(await rejectionOf(client.estimateGas()))
      demand(/panic/i.test(text) && /0x11\b|\b17n?\b|overflow/i.test(text), 'its error tells no panic')
    },
  },
]
