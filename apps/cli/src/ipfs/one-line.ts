import { visible } from '../output/visible.ts'

/** A name of somebody else's in a line of ours: it must not steer a terminal, or look like another line. */
export function oneLine(name: string): string {
  return visible(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
