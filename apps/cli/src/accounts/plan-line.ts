import { styleText } from 'node:util'
import type { StateChange } from '@wayleave/admin-api'
import { oneLine } from '../output/visible.ts'

const marks = { create: ['+', 'green'], update: ['~', 'yellow'], remove: ['-', 'red'] } as const
const kinds = { plan: 'plan', project: 'project', key: 'key', jwt_key: 'JWT key' } as const

/** Prints a change as `~ key shop/web: label, plan`, coloured if the stream shows colour. */
export function planLine({ action, kind, id, project, members }: StateChange, stream?: NodeJS.WriteStream): string {
  const [mark, colour] = marks[action]
  const name = project === undefined ? id : `${project}/${id}`
  const line = `${mark} ${kinds[kind]} ${oneLine(name)}${members === undefined ? '' : `: ${members.join(', ')}`}`
  return stream?.isTTY === true ? styleText(colour, line, { stream }) : line
}

/** Prints how many changes there are of each kind: `2 to add, 1 to change, 1 to remove`. */
export function sumUpPlan(changes: readonly StateChange[]): string {
  const count = (action: StateChange['action']): number => changes.filter((change) => change.action === action).length
  return `${count('create')} to add, ${count('update')} to change, ${count('remove')} to remove`
}
