import { findOldest } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'

const head = 23_000_000

async function find(oldest: number, mostCalls: number) {
  let calls = 0
  const has = async (block: number): Promise<boolean> => {
    calls++
    return block >= oldest
  }
  return { ...(await findOldest(has, { first: 1, head, mostCalls })), calls }
}

describe('findOldest', () => {
  it('asks an archive once', async () => {
    expect(await find(0, 12)).toEqual({ has: 1, lacks: undefined, calls: 1 })
  })

  it('finds the window of a full node within 16 questions', async () => {
    const { has, lacks, calls } = await find(head - 127, 16)
    expect(has).toBe(head - 127)
    expect(lacks).toBe(head - 128)
    expect(calls).toBeLessThanOrEqual(16)
  })

  it('finds where pruned history begins to one percent within 12', async () => {
    const oldest = 15_537_393
    const { has, lacks } = await find(oldest, 12)
    expect(has! - oldest).toBeLessThan((head - oldest) / 100)
    expect(oldest - lacks!).toBeLessThan((head - oldest) / 100)
  })

  it('ends where an answer says nothing, with what it knows', async () => {
    const answers = [false, undefined]
    const bounds = await findOldest(async () => answers.shift(), { first: 1, head, mostCalls: 12 })
    expect(bounds).toEqual({ has: undefined, lacks: 1 })
  })

  it('tells a node that has nothing at all', async () => {
    expect((await find(head + 1, 40)).lacks).toBe(head)
  })
})
