export { consoleFiles } from './console-files.ts'
export type { StaticFile, StaticFiles } from './static-files.ts'
