import type { Family } from '../family.ts'
import { connectionFamilies } from './connections.ts'
import { floodFamilies } from './floods.ts'
import { frameFamilies } from './frames.ts'
import { hangingFamilies } from './hanging.ts'
import { silentReaderFamilies } from './silent-readers.ts'
import { slowSenderFamilies } from './slow-senders.ts'
import { streamFamilies } from './streams.ts'
import { surroundingFamilies } from './surroundings.ts'

/** All families, by number. */
export const families: readonly Family[] = [
  ...hangingFamilies,
  ...slowSenderFamilies,
  ...silentReaderFamilies,
  ...frameFamilies,
  ...floodFamilies,
  ...connectionFamilies,
  ...streamFamilies,
  ...surroundingFamilies,
].toSorted((a, b) => a.number - b.number)
