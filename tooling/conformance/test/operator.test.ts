// The lines that an operator sees are those of docs/operator.md.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { actsOf, matches } from '../first-hour/transcript.ts'
import { missingForGuide, runGuide } from '../operator/run-guide.ts'

const guide = readFileSync(new URL('../../../docs/operator.md', import.meta.url), 'utf8')

it.skipIf(missingForGuide() !== undefined && process.env['REQUIRE_SERVICES'] === undefined)(
  'the commands of the operator’s guide end as it says',
  { timeout: 400_000 },
  async ({ signal }) => {
    const acts = actsOf(guide)
    expect(acts.length).toBeGreaterThanOrEqual(45)
    const wrong: object[] = []
    let nth = 0
    for await (const lines of runGuide(guide, signal)) {
      const { command, lines: expected } = acts[nth++]!
      if (!matches(expected, lines)) wrong.push({ command, expected, lines })
    }
    expect(nth).toBe(acts.length)
    expect(wrong).toEqual([])
  },
)

it.each(['backup', 'restore', 'doctor', 'explain', 'top'])('the guide runs wayleave %s', (name) => {
  expect(
    actsOf(guide).filter(
      ({ command }) => command.includes(`wayleave ${name} `) || command.endsWith(`wayleave ${name}`),
    ),
  ).not.toEqual([])
})

it('the guide holds no command that is not run', () => {
  const blocks = [...guide.matchAll(/^```(\w*)$/gm)].map(([, language]) => language)
  // Every second fence is the end of a block.
  expect(new Set(blocks.filter((_language, i) => i % 2 === 0))).toEqual(new Set(['console', 'yaml']))
})
