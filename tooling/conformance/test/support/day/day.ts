/** What a client saw in the course of a day, by the name of the operation. */
export type Day = Readonly<Record<string, unknown>>

/** A client at work: the same operations in the same order, whatever the library. */
export type DayScript = (url: string) => Promise<Day>

export { abi, initCode } from '../contract.ts'

/** What nobody has: a transaction that is not there. */
export const missingHash: `0x${string}` = `0x${'12'.repeat(32)}`

/** The call data of `fail()`. */
export const failData = '0xa9cc4718'

/** An error as what it tells: its members and those of its reasons, without what differs from call to call. */
function faceOf(thrown: unknown, members: readonly string[]): unknown {
  const faces: unknown[] = []
  for (let error = thrown; typeof error === 'object' && error !== null && faces.length < 8;) {
    const known = error as Readonly<Record<string, unknown>>
    faces.push(Object.fromEntries(members.map((member) => [member, known[member]])))
    error = known['cause'] ?? known['innerError'] ?? known['error']
  }
  return faces
}

/** What a call rejects with, by the members named. */
export async function failure(work: PromiseLike<unknown>, members: readonly string[]): Promise<unknown> {
  try {
    await work
  } catch (thrown) {
    return faceOf(thrown, members)
  }
  throw new Error('the call succeeded')
}
