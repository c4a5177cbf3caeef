import { consoleFiles } from '@wayleave/console'

/** The text of a file of the console. */
export function textOf(path: string): string {
  const file = consoleFiles.find(path)
  if (file === undefined)
    throw new Error(`there is no "${path}": the page has to be built first (packages/console/build-page.mjs)`)
  return new TextDecoder().decode(file.body)
}
