import type { Answer } from '../callers.ts'
import { frame, type Place, type Scene } from './scene.ts'
import { keyOf, type LawProject } from '../config.ts'

/** Calls of 80 credits that are left by a `RateLimit` header. */
function callsLeft({ headers }: Answer): string {
  const left = /;r=(\d+)/.exec(String(headers['ratelimit']))?.[1]
  return left === undefined ? 'untold' : String(Math.floor(Number(left) / 80))
}

const outcome = (answer: Answer): string => `${answer.status}, calls left: ${callsLeft(answer)}`

/** A rested caller has its whole burst, wherever its calls go: five calls of 80 credits, and no more. */
export async function spendBursts({ transcript, rpc, http }: Scene): Promise<void> {
  const read = (place: Place, project: LawProject): Promise<Answer> =>
    rpc(place, project, 'eth_getCode', [`0x${'1'.repeat(40)}`])
  const plans: readonly (readonly [LawProject, readonly Place[]])[] = [
    ['rested', [0, 0, 0, 0, 0, 0, 0]],
    ['rested-in-turns', [0, 1, 0, 1, 0, 1, 0]],
  ]
  for (const [project, turns] of plans) {
    const answers: Answer[] = []
    for (const place of turns) answers.push(await read(place, project))
    transcript.add(
      `burst of the project ${project}`,
      answers.map(({ status }) => String(status)),
    )
    transcript.answer(`refusal of the project ${project}`, answers.at(-1)!)
    transcript.add(`calls left at the refusal of the project ${project}`, [callsLeft(answers.at(-1)!)])
  }
  const project = 'rested-at-once'
  const batch = JSON.stringify(
    [1, 2, 3, 4, 5].map((id) => JSON.parse(frame('eth_getCode', [`0x${'2'.repeat(40)}`], id)) as object),
  )
  transcript.answer('a batch of a whole burst', await http[0].ask(`/v3/${keyOf(project)}`, { body: batch }))
  transcript.add('the call after it', [outcome(await read(1, project))])
}

/** The quota of a day is one: five calls of 80 credits, wherever they go. */
export async function spendQuota({ transcript, rpc }: Scene): Promise<void> {
  const answers: Answer[] = []
  for (const place of [0, 1, 0, 1, 1, 0, 1] as const)
    answers.push(await rpc(place, 'quota', 'eth_getCode', [`0x${'1'.repeat(40)}`]))
  transcript.add('quota of a day', answers.map(outcome))
  transcript.answer('refusal by the quota of a day', answers.at(-1)!)
}
