import { describe, expect, it } from 'vitest'
import { agreedPosition } from '../../src/heads/agreed-position.ts'
import { dominantCluster, type Voter } from '../../src/heads/cluster.ts'
import { createKnownBlocks, type KnownBlocks, relationOf } from '../../src/heads/known-blocks.ts'
import { createPace } from '../../src/heads/pace.ts'
import { createServedHead, type Look } from '../../src/heads/served-head.ts'
import { createServedTag } from '../../src/heads/served-tag.ts'

/** The blocks of a chain, told one after another: `99a 100a 100b`; a parent has the letter of its child, or the one after a slash. */
function report(known: KnownBlocks, text: string): KnownBlocks {
  for (const word of text.split(' ')) {
    const [, number, letter, parent = letter] = /^(\d+)([a-z])(?:\/([a-z]))?$/.exec(word)!
    known.learn({ number: Number(number), hash: `${number}${letter}`, parentHash: `${Number(number) - 1}${parent}` })
  }
  return known
}
const blocksOf = (text: string): KnownBlocks => report(createKnownBlocks(), text)
const voterOf = (name: string, text: string): Voter => ({
  name,
  blocks: blocksOf(text),
  movedAt: 0,
  hasParent: () => 'linked',
  linkTo: () => 'linked',
})
const look = (voters: readonly Voter[], now: number): Look => ({
  voters,
  electorate: voters.length,
  pending: 0,
  silent: 0,
  blockTimeMs: 1_000,
  now,
})

describe('known blocks', () => {
  it('tell parents too, and nothing above the head', () => {
    const known = blocksOf('100a 101a')
    expect([98, 99, 100, 101, 102].map((number) => known.hashAt(number))).toEqual([
      undefined,
      '99a',
      '100a',
      '101a',
      undefined,
    ])
    report(known, '100a')
    expect(known.hashAt(101)).toBeUndefined()
  })

  it('forget a fork that the node has left', () => {
    const known = blocksOf('98a 99a 100a 100b')
    expect([97, 98, 99, 100].map((number) => known.hashAt(number))).toEqual([undefined, undefined, '99b', '100b'])
  })

  it('are linked as far as parents were told', () => {
    expect(blocksOf('98a 99a 100a').linkedFrom).toBe(97)
    expect(blocksOf('98a 99a 101a').linkedFrom).toBe(100)
    expect(blocksOf('98a 99a 101a 100a 101a').linkedFrom).toBe(97)
  })

  it('are bounded', () => {
    const known = createKnownBlocks()
    for (let number = 1; number < 1_000; number++) report(known, `${number}a`)
    expect(known.hashAt(999)).toBe('999a')
    expect(known.hashAt(872)).toBe('872a')
    expect(known.hashAt(871)).toBeUndefined()
  })

  it('compare by the highest block that both tell', () => {
    expect(relationOf(blocksOf('100a 101a'), blocksOf('100a'))).toBe('same')
    expect(relationOf(blocksOf('100a 101a'), blocksOf('101b/a'))).toBe('forked')
    expect(relationOf(blocksOf('100a'), blocksOf('500a'))).toBe('unknown')
  })
})

describe('the dominant cluster', () => {
  it('holds no two forks', () => {
    const voters = [voterOf('x', '100a'), voterOf('y', '101b'), voterOf('z', '101a')]
    expect(dominantCluster(voters, 2)?.members.map(({ name }) => name)).toEqual(['x', 'z'])
  })

  it('is the higher one of two as large', () => {
    const voters = [voterOf('x', '105a'), voterOf('y', '100a')]
    expect(dominantCluster(voters, 2)?.members.map(({ name }) => name)).toEqual(['x'])
  })
})

describe('an agreed position', () => {
  it('is the highest block with enough witnesses', () => {
    const chains = [blocksOf('100a 101a'), blocksOf('101b/a'), blocksOf('100a')]
    expect(agreedPosition(chains, chains, 101, 90, 2)).toEqual({ number: 100, hash: '100a' })
    expect(agreedPosition(chains, chains, 101, 90, 1)?.number).toBe(101)
    expect(agreedPosition(chains, chains, 101, 100, 2)).toBeUndefined()
  })
})

describe('the served head', () => {
  it('follows a fork of which one upstream told the beginning, and the other only the end', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voters = [voterOf('x', '99a 100a'), voterOf('y', '99a 100a'), voterOf('z', '99a 100a')]
    rule.judge(look(voters, 0))
    report(voters[0]!.blocks, '100b/a 101b 102b 103b')
    report(voters[1]!.blocks, '103b')
    const verdict = rule.judge(look(voters, 3_000))
    expect(rule.head).toEqual({ number: 103, hash: '103b' })
    expect(verdict.dropped).toEqual([{ number: 100, hash: '100a' }])
  })

  it('drops nothing for blocks that a witness told before a gap', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voters = [voterOf('x', '90x 91x'), voterOf('y', '90a 91a'), voterOf('z', '90a 91a')]
    rule.judge(look(voters, 0))
    for (const { blocks } of voters) report(blocks, '93a')
    const verdict = rule.judge(look(voters, 3_000))
    expect(rule.head?.hash).toBe('93a')
    expect(verdict.dropped).toEqual([])
  })

  it('believes an upstream alone a shallow fork at once, and a deep one after the hold', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voters = [voterOf('x', '100a')]
    for (let number = 101; number <= 120; number++) {
      report(voters[0]!.blocks, `${number}a`)
      rule.judge(look(voters, number))
    }
    report(voters[0]!.blocks, '119b/a')
    rule.judge(look(voters, 1_000))
    expect(rule.head?.hash).toBe('119b')
    report(voters[0]!.blocks, '101c')
    rule.judge(look(voters, 2_000))
    expect(rule.head?.hash).toBe('119b')
    const verdict = rule.judge(look(voters, 62_000))
    expect(rule.head?.hash).toBe('101c')
    expect(verdict.dropped[0]).toEqual({ number: 119, hash: '119b' })
  })

  it('waits a moment with the fork of an only upstream that joins no served block, as it may be another chain', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voter = voterOf('x', '99a 100a')
    rule.judge(look([voter], 0))
    report(voter.blocks, '100z')
    rule.judge(look([voter], 1_000))
    rule.judge(look([voter], 2_900))
    expect(rule.head?.hash).toBe('100a')
    // Another one comes back, so there is no majority for the fork.
    const other = voterOf('y', '99a 100a')
    expect(rule.judge(look([voter, other], 2_950)).healthByName.get('x')).toBe('forked')
    rule.judge(look([voter, other], 5_000))
    expect(rule.head?.hash).toBe('100a')
  })

  it('believes an only upstream such a fork in the end', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voter = voterOf('x', '99a 100a')
    rule.judge(look([voter], 0))
    report(voter.blocks, '100z')
    rule.judge(look([voter], 1_000))
    rule.judge(look([voter], 3_000))
    expect(rule.head?.hash).toBe('100z')
  })

  it('is none for a moment where two upstreams tell forks at first, until a third decides or time is up', () => {
    const voters = [voterOf('x', '100z'), voterOf('y', '100a')]
    const rule = createServedHead({ holdMs: 60_000 })
    rule.judge(look(voters, 0))
    expect(rule).toMatchObject({ head: undefined, isDisputed: true })
    rule.judge(look([...voters, voterOf('z', '100a')], 500))
    expect(rule.head?.hash).toBe('100a')
    expect(rule.isDisputed).toBe(false)
    const alone = createServedHead({ holdMs: 60_000 })
    for (const now of [0, 4_900]) alone.judge(look(voters, now))
    expect(alone.head).toBeUndefined()
    alone.judge(look(voters, 5_000))
    expect(alone).toMatchObject({ head: { number: 100 }, isDisputed: false })
  })

  it('tells what the chain can have reached, as time goes on', () => {
    const rule = createServedHead({ holdMs: 60_000, toleratedLag: 2 })
    expect(rule.plausibleAt(0, 1_000)).toBeUndefined()
    rule.judge(look([voterOf('x', '100a')], 0))
    expect(rule.plausibleAt(0, 1_000)).toBe(106)
    expect(rule.plausibleAt(10_000, 1_000)).toBe(126)
  })

  it('is at once a block that two tell, where the lowest of the first heads is one upstream’s alone', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voters = [voterOf('low', '98a'), ...['x', 'y', 'z'].map((name) => voterOf(name, '100a'))]
    const { healthByName } = rule.judge(look(voters, 0))
    expect(rule.head).toEqual({ number: 99, hash: '99a' })
    expect(healthByName.get('x')).toBe('good')
    report(voters[0]!.blocks, '99a 100a')
    rule.judge(look(voters, 1_000))
    expect(rule.head).toEqual({ number: 100, hash: '100a' })
  })

  it('is none at first where no two tell the same block', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    const voters = [voterOf('x', '98a'), voterOf('y', '100b'), voterOf('z', '102c')]
    rule.judge(look(voters, 0))
    expect(rule.head).toBeUndefined()
  })

  it('does not count the time in which nobody answers against its head', () => {
    const rule = createServedHead({ holdMs: 60_000 })
    rule.judge(look([voterOf('x', '100a')], 0))
    for (let now = 0; now < 300_000; now += 10_000) rule.judge(look([], now))
    rule.judge(look([voterOf('x', '1a')], 300_000))
    expect(rule.head?.number).toBe(100)
  })
})

describe('a block under a tag', () => {
  const head = { number: 200, hash: '200a' }

  it('needs a second witness where three tell one, or a minute', () => {
    const tag = createServedTag()
    const reported = [blocksOf('96a'), blocksOf('80x'), blocksOf('64a')]
    tag.judge(reported, head, 0)
    expect(tag.at).toBeUndefined()
    reported[2] = blocksOf('96a')
    tag.judge(reported, head, 1_000)
    expect(tag.at).toEqual({ number: 96, hash: '96a' })
    reported[0] = blocksOf('128a')
    reported[1] = blocksOf('130a')
    tag.judge(reported, head, 2_000)
    expect(tag.at?.number).toBe(96)
    tag.judge(reported, head, 62_000)
    expect(tag.at?.number).toBe(128)
  })

  it('is never above the head', () => {
    const tag = createServedTag()
    tag.judge([blocksOf('100a')], { number: 99, hash: '99a' }, 0)
    expect(tag.at).toBeUndefined()
    tag.judge([blocksOf('100a')], head, 0)
    expect(tag.at?.number).toBe(100)
    tag.judge([blocksOf('50a')], { number: 90, hash: '90b' }, 0)
    expect(tag.at?.number).toBe(50)
  })
})

describe('the pace', () => {
  it('is the mean interval, also where several blocks are seen at once', () => {
    const pace = createPace(2_000)
    for (let i = 0; i < 50; i++) pace.advanced(i % 2 === 0 ? 1 : 3, 1_000)
    expect(pace.blockTimeMs).toBeGreaterThan(450)
    expect(pace.blockTimeMs).toBeLessThan(550)
  })

  it('is not decided by a single halt or a single jump', () => {
    const pace = createPace(1_000)
    for (let i = 0; i < 20; i++) pace.advanced(1, 1_000)
    pace.advanced(1, 3_600_000)
    expect(pace.blockTimeMs).toBeLessThan(2_000)
    pace.advanced(100_000, 1_000)
    expect(pace.blockTimeMs).toBeGreaterThan(400)
  })
})
