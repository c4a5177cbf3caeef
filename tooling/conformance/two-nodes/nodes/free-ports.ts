import { freePort } from '@wayleave/bench/subjects/free-port'

/** Finds so many different ports of the loopback interface that are free, and stay so between two starts of a node. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await freePort())
  return [...found]
}
