// failed-files.mjs REPORT: prints the test files to run again, alone: those that failed, where they are few and nothing failed outside of tests.
import { existsSync, readFileSync } from 'node:fs'

const mostFiles = 3
const [path] = process.argv.slice(2)
const { failedFiles = [], outside = 0 } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
if (failedFiles.length <= mostFiles && outside === 0) for (const { file } of failedFiles) console.log(file)
