import { freePorts } from '../two-nodes/nodes/free-ports.ts'

/** The ports that a transcript names, by the real ones for which they stand. */
export type Ports = readonly (readonly [shown: string, real: string])[]

/** Finds as many free ports as a transcript names, and leaves them free: a program of the transcript listens there, or none. */
export async function realPorts(shown: readonly string[]): Promise<Ports> {
  const ports = await freePorts(shown.length)
  return shown.map((port, i) => [port, String(ports[i])] as const)
}

/** Puts the ports of a transcript and `~` in the place of real ports and of the folder `root` in what was printed, and real ports into what is typed. */
export function createAlike(root: string, ports: Ports) {
  const replace = (text: string, from: string, to: string): string =>
    text.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to)
  return {
    alike: (text: string): string =>
      ports.reduce(
        (seen, [shown, real]) => replace(seen, real, shown),
        text.replaceAll(`${root}/home`, '~').replaceAll(root, '~'),
      ),
    real: (command: string): string => ports.reduce((typed, [shown, real]) => replace(typed, shown, real), command),
  }
}
