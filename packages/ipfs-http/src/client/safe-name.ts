import { IpfsError } from '../error.ts'

/** Returns a name if it stays inside its folder, on every system. @throws IpfsError `bad_content` */
export function safeName(name: string): string {
  if (name === '' || name === '.' || name === '..' || ['/', '\\', '\0'].some((each) => name.includes(each))) {
    throw new IpfsError('bad_content', `the content holds a name that is not safe to write: ${JSON.stringify(name)}`)
  }
  return name
}
