import { expect, it } from 'vitest'
import { listInGroups } from '../../src/call/method-groups.ts'
import { kebabOf, methodsUnder } from '../../src/call/methods.ts'

it('lists each method once, below the title of its group', () => {
  const methods = methodsUnder('eth')
  const groups = new Map(
    listInGroups(methods)
      .split('\n\n')
      .map((group) => {
        const [title = '', ...rows] = group.split('\n')
        return [title, rows.map((row) => /^ {2}([a-z\d-]+) {2,}\S/.exec(row)?.[1])] as const
      }),
  )
  expect([...groups.values()].flat().toSorted()).toEqual(methods.map(({ name }) => kebabOf(name)).toSorted())
  expect([...groups.keys()]).toEqual([
    'Accounts:',
    'Blocks:',
    'Logs, filters, subscriptions:',
    'Calls:',
    'Transactions:',
    'Fees:',
    'The node:',
  ])
  expect(groups.get('Accounts:')).toContain('get-transaction-count')
  expect(groups.get('Blocks:')).toContain('get-block-transaction-count-by-hash')
  expect(groups.get('Transactions:')).toContain('get-transaction-by-block-hash-and-index')
  expect(groups.get('Logs, filters, subscriptions:')).toContain('new-pending-transaction-filter')
  expect(groups.get('The node:')).toContain('chain-id')
})
