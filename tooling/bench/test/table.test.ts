import { expect, it } from 'vitest'
import { printTable } from '../src/table.ts'

it('pads a table so that its columns stand under each other', () => {
  expect(
    printTable(
      ['', 'CPU'],
      [
        ['nginx', '9'],
        ['x', '1000'],
      ],
    ),
  ).toBe(['|       |  CPU |', '| ----- | ---: |', '| nginx |    9 |', '| x     | 1000 |'].join('\n'))
})
