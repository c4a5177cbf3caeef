import { rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createBlockVotes } from '../../src/verification/block-votes.ts'

const hash = `0x${'ab'.repeat(32)}`

/** Voters who have the block or not, who fail, or who never answer, and the times that each was asked. */
function votersOf(...answers: readonly ('has' | 'lacks' | 'fails' | 'silent' | 'other')[]) {
  const asked = answers.map(() => 0)
  const voters = answers.map((answer, i): RpcHandler => (_request, context) => {
    asked[i]!++
    if (answer === 'fails') return Promise.reject(new Error('it fails'))
    if (answer === 'silent') return new Promise((_, reject) => void context.onCancel(reject))
    const block = { has: { hash }, lacks: null, other: { hash: `0x${'cd'.repeat(32)}` } }[answer]
    return Promise.resolve({ result: rawJsonFromValue(block) })
  })
  return { asked, voters }
}

it.each([
  [['has', 'has', 'silent'], true],
  [['has', 'lacks', 'fails'], false],
  [['has', 'other', 'lacks'], false],
  [['lacks', 'has', 'has'], true],
] as const)('most nodes have a block or not, whoever is silent: %j', async (answers, has) => {
  const { voters } = votersOf(...answers)
  expect(await createBlockVotes(voters, 2, new FakeClock()).have(hash)).toBe(has)
})

it('a silent node is waited for eight seconds at most, where its word decides', async () => {
  const clock = new FakeClock()
  const { voters } = votersOf('has', 'silent')
  const have = createBlockVotes(voters, 2, clock).have(hash)
  clock.advance(8_000)
  expect(await have).toBe(false)
})

it('each is asked once for a block that most have, and again after two seconds for one that they had not', async () => {
  const clock = new FakeClock()
  const [known, unknown] = [votersOf('has', 'has'), votersOf('has', 'lacks')]
  const [had, lacked] = [known, unknown].map(({ voters }) => createBlockVotes(voters, 2, clock))
  for (const advance of [0, 1_999, 1, 10_000]) {
    clock.advance(advance)
    await had!.have(hash)
    await lacked!.have(hash)
  }
  expect([known.asked, unknown.asked]).toEqual([
    [1, 1],
    [3, 3],
  ])
})
