import { expect, test } from 'vitest'
import { withRest } from '../../src/server/with-rest.ts'

async function* steps(end?: Error): AsyncGenerator<number> {
  yield* [1, 2, 3]
  if (end !== undefined) throw end
}

test.each([
  ['ends', undefined],
  ['throws', new Error('broken')],
])('a source that is left is heard until it %s', async (_how, end) => {
  const rest: number[] = []
  for await (const step of withRest(steps(end), (late) => void rest.push(late))) if (step === 1) break
  expect(rest).toEqual([2, 3])
})

test('a source that is not left is passed on, with its error', async () => {
  const heard: number[] = []
  const never = (): void => expect.fail('nothing is left')
  const all = async (end?: Error): Promise<void> => {
    for await (const step of withRest(steps(end), never)) heard.push(step)
  }
  await all()
  await expect(all(new Error('broken'))).rejects.toThrow('broken')
  expect(heard).toEqual([1, 2, 3, 1, 2, 3])
})
