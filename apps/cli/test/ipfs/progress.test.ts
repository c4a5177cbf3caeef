import { describe, expect, it } from 'vitest'
import { durationText, progressLine, sizeText } from '../../src/ipfs/progress-line.ts'
import { createProgressBar } from '../../src/ipfs/progress.ts'

const MiB = 1 << 20

describe('progressLine', () => {
  it.each([
    [
      'shows share, bar, bytes, rate and time left',
      { bytes: 30 * MiB, total: 120 * MiB, elapsedMs: 2_000, columns: 80 },
      ' 25 %  [======                   ]  30.0 MiB of 120.0 MiB  15.0 MiB/s  6 s left',
    ],
    [
      'leaves the bar out where it does not fit',
      { bytes: 512, total: 1024, elapsedMs: 1_000, columns: 50 },
      ' 50 %  512 B of 1.0 KiB  512 B/s  1 s left',
    ],
    ['cuts what is too long', { bytes: 512, total: 1024, elapsedMs: 1_000, columns: 20 }, ' 50 %  512 B of 1.0'],
    [
      'knows no share without a total',
      { bytes: 3 * MiB, total: undefined, elapsedMs: 1_500, columns: 80 },
      '3.0 MiB  2.0 MiB/s',
    ],
    ['gives up a total that was passed', { bytes: 11, total: 10, elapsedMs: 1_000, columns: 80 }, '11 B  11 B/s'],
    [
      'tells no time left before anything moved',
      { bytes: 0, total: 10, elapsedMs: 0, columns: 60 },
      '  0 %  [                              ]  0 B of 10 B  0 B/s',
    ],
    [
      'is full at the end, and of nothing',
      { bytes: 0, total: 0, elapsedMs: 0, columns: 60 },
      '100 %  [==============================]  0 B of 0 B  0 B/s',
    ],
  ])('%s', (_what, progress, line) => {
    expect(progressLine(progress)).toBe(line)
    expect(progressLine(progress).length).toBeLessThan(progress.columns)
  })

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 * MiB - 1, '1.0 GiB'],
    [5 * 1024 ** 5, '5120.0 TiB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text)
  })

  it.each([
    [0.2, '1 s'],
    [59.5, '1 min 0 s'],
    [125, '2 min 5 s'],
    [3_600, '1 h 0 min'],
    [11_000, '3 h 3 min'],
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text)
  })
})

describe('the progress bar', () => {
  function terminal(isTTY: boolean): { stream: NodeJS.WriteStream; written: string[] } {
    const written: string[] = []
    const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) > 0 }
    return { stream: stream as unknown as NodeJS.WriteStream, written }
  }

  it('comes after 300 ms, is drawn ten times a second at most, and leaves an empty line', () => {
    const { stream, written } = terminal(true)
    let now = 1_000
    const bar = createProgressBar(stream, true, { now: () => now })
    for (const at of [1_100, 1_299, 1_300, 1_350, 1_400]) {
      now = at
      bar.show(at - 1_000, 1_000)
    }
    expect(written).toHaveLength(2)
    expect(written[0]).toContain('\r\x1b[K 30 %')
    expect(written[1]).toContain('\r\x1b[K 40 %')
    bar.clear()
    bar.clear()
    expect(written.slice(2)).toEqual(['\r\x1b[K'])
  })

  it.each([
    ['no terminal', false, true],
    ['a terminal of somebody who wants none', true, false],
  ])('writes nothing to %s', (_what, isTTY, isWanted) => {
    const { stream, written } = terminal(isTTY)
    let now = 0
    const bar = createProgressBar(stream, isWanted, { now: () => now })
    now = 10_000
    bar.show(1, 2)
    bar.clear()
    expect(written).toEqual([])
  })
})
