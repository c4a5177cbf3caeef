import { describe, expect, it } from 'vitest'
import { createLog } from '../src/log.ts'
import { printTextLine } from '../src/text-line.ts'

const line = (fields: object): string =>
  printTextLine(JSON.stringify({ level: 40, time: Date.UTC(2026, 0, 2, 3, 4, 5, 6), ...fields }))

describe('a line for people', () => {
  it('is time, level, sentence and members', () => {
    expect(line({ network: 'mainnet', ms: 1.5, batch: true, msg: 'a call' })).toBe(
      '2026-01-02T03:04:05.006Z WARN  a call network=mainnet ms=1.5 batch=true\n',
    )
  })

  it('quotes texts that hold more than a word', () => {
    expect(line({ reason: 'two words', err: { type: 'TypeError' }, msg: 'it is "so"' })).toBe(
      '2026-01-02T03:04:05.006Z WARN  it is "so" reason="two words" err={"type":"TypeError"}\n',
    )
  })

  it.each(['\n', '\r', '\u001B[31m', '\u0085', '\u2028', '\u007F'])(
    'is one line whatever a stranger sends: %j',
    (sign) => {
      const text = line({ method: `a${sign}b`, msg: `c${sign}d` })
      // oxlint-disable-next-line eslint/no-control-regex -- these must not be there
      expect(text.trimEnd()).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028]/)
      expect(text.match(/\n/g)).toHaveLength(1)
    },
  )
})

describe('a log', () => {
  it('takes another level and format, and its own again', () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', destination: { write: (text) => void lines.push(text) } })
    const { info } = log
    info('no')
    log.adapt({ level: 'info', format: 'text' })
    info({ a: 1 }, 'yes')
    log.repeats.warn(['kind'], {}, 'again')
    log.adapt({})
    info('no')
    log.warn('json')
    expect(lines[0]).toMatch(/^\S+ INFO {2}yes a=1\n$/)
    expect(lines[1]).toMatch(/^\S+ WARN {2}again\n$/)
    expect(lines.slice(2).map((text) => (JSON.parse(text) as { msg: string }).msg)).toEqual(['json'])
    log.repeats.flush()
  })
})
