export { openSpoolFile } from './spool-file.ts'
